/** `GET /v1/node/identity`. */
import type { ROUTES } from 'svc-api';
import { toHex } from 'svc-wasm/base';
import type { Handler } from './handler.ts';

export const nodeIdentity: Handler<typeof ROUTES.nodeIdentity> = ({ services }) => ({
  height: services.chain.head.height,
  document: {
    api_version: 1,
    identity: services.identity.identity,
    public_key: toHex(services.identity.publicKey),
    algorithm: 'ML-DSA-65',
    envelope_version: 1,
  },
});
