/** `GET /v1/chain/rates`. */
import type { ROUTES } from 'svc-api';
import type { Handler } from './handler.ts';

export const chainRates: Handler<typeof ROUTES.chainRates> = ({ services }) => {
  const document = services.rates.document();
  return { height: document.finalized_height, document };
};
