/** `GET /ready`. */
import type { ROUTES } from 'svc-api';
import { Refused } from '../../refusal/refused.ts';
import type { Handler } from './handler.ts';

const RETRY_MILLIS = 1_000;

export const ready: Handler<typeof ROUTES.ready> = ({ services }) => {
  const reasons = services.reasonsNotReady();
  if (reasons.length > 0)
    throw new Refused('not_synced', reasons.join('; '), { retryAfterMillis: RETRY_MILLIS });
  return { height: services.chain.head.height, text: 'ready' };
};
