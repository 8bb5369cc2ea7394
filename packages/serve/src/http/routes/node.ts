/**
 * The node that answers: its identity, how far it has synced, its state.
 */
import { toHex } from 'svc-wasm/base';
import type { Handler } from './handler.ts';

export const nodeIdentity: Handler<'nodeIdentity'> = ({ services }) => ({
  height: services.chain.head.height,
  document: {
    api_version: 1,
    identity: services.identity.identity,
    public_key: toHex(services.identity.publicKey),
    algorithm: 'ML-DSA-65',
    envelope_version: 1,
  },
});

export const nodeSync: Handler<'nodeSync'> = ({ services }) => {
  const document = services.sync();
  return { height: document.finalized_height, document };
};

export const nodeStatus: Handler<'nodeStatus'> = ({ services }) => {
  const document = services.status();
  return { height: document.finalized_height, document };
};
