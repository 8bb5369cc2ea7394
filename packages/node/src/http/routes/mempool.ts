/** `GET /v1/mempool`. */
import type { ROUTES } from 'svc-api';
import type { Handler } from './handler.ts';

export const mempool: Handler<typeof ROUTES.mempool> = ({ mempoolFigures }) => {
  const document = mempoolFigures.document();
  return { height: document.finalized_height, document };
};
