/**
 * The thread that signs payments of a busy wallet, and makes the keys of its next change addresses from their seeds. It
 * decides nothing. Secrets arrive in buffers that are transferred, so that no copy stays behind, and are wiped after use.
 */
import { parentPort } from 'node:worker_threads';
import { init } from 'svc-wasm';
import { ADDRESS_BYTES, CONTEXTS, contextBytes, SIGNATURE_BYTES, wipe } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import { keyAddressBytes } from 'svc-wasm/protocol';
import {
  KEY_BYTES,
  MESSAGE_BYTES,
  ORDER_BYTES,
  SECRET_KEY_BYTES,
  SEED_BYTES,
  type SigningAnswer,
  type SigningOrder,
} from './signing-messages.ts';

/** After about this many signatures the engine has compiled the kernel's loops for speed. */
const WARM_UP_SIGNATURES = 16;

await init();
const context = contextBytes(CONTEXTS.spend);

function signAll(orders: Uint8Array): Uint8Array<ArrayBuffer> {
  const count = orders.length / ORDER_BYTES;
  const signatures = new Uint8Array(count * SIGNATURE_BYTES);
  try {
    for (let at = 0; at < count; at++) {
      const order = orders.subarray(at * ORDER_BYTES, (at + 1) * ORDER_BYTES);
      const secretKey = order.subarray(0, SECRET_KEY_BYTES);
      const signature = mlDsa65.sign(secretKey, order.subarray(SECRET_KEY_BYTES), { context });
      signatures.set(signature, at * SIGNATURE_BYTES);
    }
  } finally {
    wipe(orders);
  }
  return signatures;
}

function makeKeys(seeds: Uint8Array): Uint8Array<ArrayBuffer> {
  const count = seeds.length / SEED_BYTES;
  const keys = new Uint8Array(count * KEY_BYTES);
  for (let at = 0; at < count; at++) {
    const seed = seeds.subarray(at * SEED_BYTES, (at + 1) * SEED_BYTES);
    const { publicKey, secretKey } = mlDsa65.keygen(seed);
    const begin = at * KEY_BYTES;
    keys.set(secretKey, begin);
    keys.set(publicKey, begin + SECRET_KEY_BYTES);
    keys.set(keyAddressBytes(publicKey), begin + KEY_BYTES - ADDRESS_BYTES);
    wipe(secretKey);
  }
  wipe(seeds);
  return keys;
}

function warmUp(): void {
  const { secretKey } = mlDsa65.keygen(new Uint8Array(SEED_BYTES));
  for (let count = 0; count < WARM_UP_SIGNATURES; count++) {
    mlDsa65.sign(secretKey, new Uint8Array(MESSAGE_BYTES));
  }
}

function answer(message: SigningAnswer, transferred: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transferred);
}

warmUp();
parentPort?.on('message', (order: SigningOrder) => {
  if ('orders' in order) {
    const signatures = signAll(order.orders);
    answer({ signatures }, [signatures.buffer]);
  } else {
    const keys = makeKeys(order.seeds);
    answer({ keys }, [keys.buffer]);
  }
});
answer('ready');
