/** `GET /health`. */
import type { ROUTES } from 'svc-api';
import type { Handler } from './handler.ts';

export const health: Handler<typeof ROUTES.health> = ({ services }) => ({
  height: services.chain.head.height,
  text: 'ok',
});
