/** `GET /v1/node/sync`. */
import type { ROUTES } from 'svc-api';
import type { Handler } from './handler.ts';

export const nodeSync: Handler<typeof ROUTES.nodeSync> = ({ services }) => {
  const document = services.sync();
  return { height: document.finalized_height, document };
};
