/** `GET /ready`. */
import type { ROUTES, TroubleDocument } from 'svc-api';
import { Refused } from '../../refusal/refused.ts';
import type { Handler } from './handler.ts';

const RETRY_MILLIS = 1_000;

export const ready: Handler<typeof ROUTES.ready> = ({ services }) => {
  const troubles = services.troubles();
  const lines = troubles.map(lineOf);
  if (troubles.some(({ refuses_ready: refuses }) => refuses))
    throw new Refused('not_synced', lines.join('; '), { retryAfterMillis: RETRY_MILLIS });
  return { height: services.chain.head.height, text: ['ready', ...lines].join('\n') };
};

function lineOf({ name, message }: TroubleDocument): string {
  return `${name}: ${message}`;
}
