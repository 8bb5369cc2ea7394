/** `GET /v1/node/status`. */
import type { ROUTES } from 'svc-api';
import type { Handler } from './handler.ts';

export const nodeStatus: Handler<typeof ROUTES.nodeStatus> = ({ services }) => {
  const document = services.status();
  return { height: document.finalized_height, document };
};
