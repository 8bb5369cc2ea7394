/** `GET /v1/transactions/manifest`: the one text that the protocol module takes. */
import type { ROUTES } from 'svc-api';
import type { Handler } from './handler.ts';

export const transactionsManifest: Handler<typeof ROUTES.transactionsManifest> = ({
  services: { chain },
}) => ({ height: chain.head.height, text: chain.manifest.json });
