/**
 * Who answers: the key that signs answers of the HTTP API. It is never the consensus key.
 */
import type { ServiceAnswer, ServiceHeaders } from 'svc-wasm/protocol';

export interface NodeIdentity {
  /** What clients pin: the hash of the public key, 96 hexadecimal characters. */
  readonly identity: string;
  readonly publicKey: Uint8Array;
  sign(answer: ServiceAnswer): ServiceHeaders;
}
