/**
 * The thread that signs payments of a busy wallet: it takes key and message from each slot that is filled, wipes the key
 * and leaves the signature there. Between signatures it makes the keys that the wallet will use next, from their seeds, and the addresses of these. It
 * decides nothing; what it is given may be signed.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { init } from 'svc-wasm';
import { CONTEXTS, contextBytes, wipe } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import { keyAddressBytes } from 'svc-wasm/protocol';
import { RandomPieces } from './random-pieces.ts';
import {
  BANKS,
  keySlotAt,
  Orders,
  type SigningAnswer,
  type SigningOrder,
  SLOTS,
  slotAt,
} from './signing-slots.ts';

/** A signature is made with so many random bytes (FIPS 204, algorithm 2). */
const RANDOM_BYTES = 32;
/** After about this many signatures the engine has compiled the kernel's loops for speed. */
const WARM_UP_SIGNATURES = 16;

await init();
const memory = workerData as SharedArrayBuffer;
const banks = Array.from({ length: BANKS }, (_, bank) => new Orders(memory, bank));
const context = contextBytes(CONTEXTS.spend);

const slots = Array.from({ length: BANKS }, (_, bank) =>
  Array.from({ length: SLOTS }, (_, at) => slotAt(memory, bank, at)),
);
const random = new RandomPieces(RANDOM_BYTES);

function sign(bank: number, at: number): void {
  const slot = slots[bank]?.[at];
  if (slot === undefined) throw new RangeError(`there is no slot ${at} in bank ${bank}`);
  const { message, secretKey, signature } = slot;
  try {
    random.use((bytes) =>
      signature.set(mlDsa65.sign(secretKey, message, { context, random: bytes })),
    );
  } finally {
    wipe(secretKey);
  }
}

/** Signs slots of a bank as they are filled, until no more come. */
function signAll(bank: number): void {
  const orders = banks[bank];
  if (orders === undefined) throw new RangeError(`there is no bank ${bank}`);
  let signed = 0;
  for (;;) {
    const { count, isAll } = orders.waitBeyond(signed);
    while (signed < count) sign(bank, signed++);
    if (isAll) return;
  }
}

function makeKey(at: number): void {
  const slot = keySlotAt(memory, at);
  const seed = slot.seed.slice();
  wipe(slot.seed);
  const { publicKey, secretKey } = mlDsa65.keygen(seed);
  slot.publicKey.set(publicKey);
  slot.secretKey.set(secretKey);
  slot.address.set(keyAddressBytes(publicKey));
  wipe(seed);
  wipe(secretKey);
}

function makeKeys(count: number): void {
  for (let at = 0; at < count; at++) makeKey(at);
}

function warmUp(): void {
  const { secretKey } = mlDsa65.keygen(new Uint8Array(32));
  for (let count = 0; count < WARM_UP_SIGNATURES; count++) {
    mlDsa65.sign(secretKey, new Uint8Array(48));
  }
}

function tell(answer: SigningAnswer): void {
  parentPort?.postMessage(answer);
}

warmUp();
parentPort?.on('message', (order: SigningOrder) => {
  if ('bank' in order) {
    signAll(order.bank);
    tell({ signed: order.bank });
    return;
  }
  makeKeys(order.keys);
  tell('keys');
});
tell('ready');
