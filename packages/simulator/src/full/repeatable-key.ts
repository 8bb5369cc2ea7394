/**
 * A key of the simulation. The keys that ship add random bytes to every signature; with those the bytes of blocks, and so
 * their order, would differ from run to run of one seed.
 */
import { type MessageKind, signatureContext } from 'svc-consensus/machine';
import { ValidatorKey } from 'svc-consensus/shell';
import { CONTEXTS, type Context, contextBytes } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';

const NO_RANDOM = new Uint8Array(32);

export function repeatableKey(seed: Uint8Array): ValidatorKey {
  const { secretKey } = mlDsa65.keygen(seed);
  const sign = (message: Uint8Array, context: Context): Uint8Array =>
    mlDsa65.sign(secretKey, message, { context: contextBytes(context), random: NO_RANDOM });
  return Object.create(ValidatorKey.fromSeed(seed), {
    sign: {
      value: (bytes: Uint8Array, kind: MessageKind) => sign(bytes, signatureContext(kind)),
    },
    signOperation: { value: (message: Uint8Array) => sign(message, CONTEXTS.operation) },
    signSpend: { value: (message: Uint8Array) => sign(message, CONTEXTS.spend) },
  }) as ValidatorKey;
}
