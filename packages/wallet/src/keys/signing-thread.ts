/**
 * The signing thread, seen from the wallet: it signs the orders that it is sent, and makes the keys of the next change
 * addresses when a group is signed. Orders that it did not answer are signed by the caller.
 */
import { Worker } from 'node:worker_threads';
import { BRANCHES } from 'svc-wasm';
import { wipe } from 'svc-wasm/base';
import { ACCOUNT, type KeyRing } from './key-ring.ts';
import {
  KEY_BYTES,
  PUBLIC_KEY_BYTES,
  SECRET_KEY_BYTES,
  SEED_BYTES,
  type SigningAnswer,
  type SigningOrder,
} from './signing-messages.ts';

/** Keys that are made at the same time: those that a batch of payments uses for change. */
export const KEYS_AHEAD = 32;

export interface SigningThreadPorts {
  /** Stays the caller's, and has to outlive the signer. */
  readonly ring: KeyRing;
  /** The position of the next change address; null where none is needed. */
  nextChange(): number | null;
  /** Called when the thread has ended by itself. */
  onThreadLost(reason: unknown): void;
}

type Answered = (signatures: Uint8Array | undefined) => void;

export class SigningThread {
  readonly #ports: SigningThreadPorts;
  readonly #worker: Worker;
  #state: 'starting' | 'ready' | 'gone' = 'starting';
  /** Orders that are not answered yet, the oldest first. */
  readonly #ordered: Answered[] = [];
  /** The positions of the keys that are being made. */
  #coming: readonly number[] = [];

  constructor(ports: SigningThreadPorts) {
    this.#ports = ports;
    this.#worker = new Worker(new URL('./signing-worker.ts', import.meta.url));
    this.#worker.unref();
    this.#worker.on('message', (answer: SigningAnswer) => this.#receive(answer));
    const lose = (reason: unknown): void => {
      const isNews = this.#state !== 'gone';
      this.#end();
      if (isNews) ports.onThreadLost(reason);
    };
    this.#worker.on('error', lose);
    this.#worker.on('exit', (code) => lose(new Error(`it ended with ${code}`)));
  }

  get isReady(): boolean {
    return this.#state === 'ready';
  }

  /** Signs orders, which are transferred; undefined if the thread is gone. */
  sign(orders: Uint8Array<ArrayBuffer>): Promise<Uint8Array | undefined> {
    if (!this.isReady) {
      wipe(orders);
      return Promise.resolve(undefined);
    }
    return new Promise((resolve) => {
      this.#ordered.push(resolve);
      this.#post({ orders }, orders.buffer);
    });
  }

  /** Orders the keys of the next change addresses that the ring lacks, unless some are being made. */
  orderKeys(): void {
    if (!this.isReady || this.#coming.length > 0) return;
    const { nextChange, ring } = this.#ports;
    const next = nextChange();
    if (next === null) return;
    this.#coming = Array.from({ length: KEYS_AHEAD }, (_, at) => next + at).filter(
      (position) => !ring.has(ACCOUNT, BRANCHES.change, position),
    );
    if (this.#coming.length === 0) return;
    const seeds = new Uint8Array(this.#coming.length * SEED_BYTES);
    for (const [at, position] of this.#coming.entries()) {
      ring.withSeed(ACCOUNT, BRANCHES.change, position, (seed) => seeds.set(seed, at * SEED_BYTES));
    }
    this.#post({ seeds }, seeds.buffer);
  }

  close(): void {
    this.#end();
    void this.#worker.terminate();
  }

  #receive(answer: SigningAnswer): void {
    if (answer === 'ready') this.#state = 'ready';
    else if ('keys' in answer) this.#adoptKeys(answer.keys);
    else this.#ordered.shift()?.(answer.signatures);
  }

  #adoptKeys(keys: Uint8Array): void {
    for (const [at, position] of this.isReady ? this.#coming.entries() : []) {
      const pair = keys.subarray(at * KEY_BYTES, (at + 1) * KEY_BYTES);
      const addressAt = SECRET_KEY_BYTES + PUBLIC_KEY_BYTES;
      this.#ports.ring.adopt(ACCOUNT, BRANCHES.change, position, {
        secretKey: pair.slice(0, SECRET_KEY_BYTES),
        publicKey: pair.slice(SECRET_KEY_BYTES, addressAt),
        address: pair.slice(addressAt),
      });
    }
    wipe(keys);
    this.#coming = [];
  }

  #post(order: SigningOrder, buffer: ArrayBuffer): void {
    this.#worker.postMessage(order, [buffer]);
  }

  #end(): void {
    this.#state = 'gone';
    for (const answered of this.#ordered.splice(0)) answered(undefined);
  }
}
