/**
 * Signs spends. A payment alone is signed at once, in the thread that asks; payments that are made together are signed in
 * a thread of their own while the wallet decides the next of them. The thread starts when a wallet gets busy; what it does
 * not sign, because it is starting or gone, is signed here.
 */

import { Worker } from 'node:worker_threads';
import { BRANCHES } from 'svc-wasm';
import { SIGNATURE_BYTES, wipe } from 'svc-wasm/base';
import type { OwnAddress } from '../state/addresses.ts';
import { ACCOUNT, type KeyRing } from './key-ring.ts';
import {
  KEY_BYTES,
  ORDER_BYTES,
  PUBLIC_KEY_BYTES,
  SECRET_KEY_BYTES,
  SEED_BYTES,
  type SigningAnswer,
  type SigningOrder,
} from './signing-messages.ts';

/** Whose key signs. */
export type KeyPath = Pick<OwnAddress, 'branch' | 'position'>;

/** A signature that can be taken once its signing is done. */
export type PendingSignature = () => Uint8Array;

/** Payments that are signed together. */
export interface Signing {
  /** Asks for the signature of an output's owner. */
  sign(path: KeyPath, message: Uint8Array): PendingSignature;
  /** Must be called once, after the last `sign`. Resolves when everything is signed. */
  done(): Promise<void>;
}

/** As many payments at the same moment are worth a thread. */
const PAYMENTS_FOR_THREAD = 4;
/** Orders of one message: the thread signs them while the next payments are decided. */
const ORDERS_PER_MESSAGE = 8;

export type SignerPorts = SigningThreadPorts;

export class Signer {
  readonly #ports: SignerPorts;
  #thread: SigningThread | undefined;
  #isClosed = false;

  constructor(ports: SignerPorts) {
    this.#ports = ports;
  }

  /** Begins to sign for a number of payments. */
  begin(payments: number): Signing {
    const isBusy = payments >= PAYMENTS_FOR_THREAD && !this.#isClosed;
    if (isBusy) this.#thread ??= new SigningThread(this.#ports);
    const { ring } = this.#ports;
    return payments > 1 && this.#thread?.isReady === true
      ? new ThreadSigning(ring, this.#thread)
      : new SigningHere(ring);
  }

  /** Whether there is a thread, and it signs. */
  get hasThread(): boolean {
    return this.#thread?.isReady === true;
  }

  close(): void {
    this.#isClosed = true;
    this.#thread?.close();
  }
}

class SigningHere implements Signing {
  readonly #ring: KeyRing;

  constructor(ring: KeyRing) {
    this.#ring = ring;
  }

  sign({ branch, position }: KeyPath, message: Uint8Array): PendingSignature {
    const signature = this.#ring.sign(ACCOUNT, branch, position, message, true);
    return () => signature;
  }

  async done(): Promise<void> {}
}

interface Asked {
  readonly path: KeyPath;
  readonly message: Uint8Array;
  signature: Uint8Array | undefined;
}

class ThreadSigning implements Signing {
  readonly #ring: KeyRing;
  readonly #thread: SigningThread;
  readonly #asked: Asked[] = [];
  #orders = new Uint8Array(ORDERS_PER_MESSAGE * ORDER_BYTES);
  readonly #answers: Promise<Uint8Array | undefined>[] = [];

  constructor(ring: KeyRing, thread: SigningThread) {
    this.#ring = ring;
    this.#thread = thread;
  }

  sign(path: KeyPath, message: Uint8Array): PendingSignature {
    const asked: Asked = { path, message, signature: undefined };
    const begin = (this.#asked.length % ORDERS_PER_MESSAGE) * ORDER_BYTES;
    this.#asked.push(asked);
    this.#ring.withSecretKey(ACCOUNT, path.branch, path.position, (secretKey) =>
      this.#orders.set(secretKey, begin),
    );
    this.#orders.set(message, begin + SECRET_KEY_BYTES);
    if (begin + ORDER_BYTES === this.#orders.length) {
      this.#answers.push(this.#thread.sign(this.#orders));
      this.#orders = new Uint8Array(ORDERS_PER_MESSAGE * ORDER_BYTES);
    }
    return () => {
      if (asked.signature === undefined) throw new Error('the signing is not done');
      return asked.signature;
    };
  }

  async done(): Promise<void> {
    const rest = (this.#asked.length % ORDERS_PER_MESSAGE) * ORDER_BYTES;
    if (rest > 0) {
      const orders = this.#orders.slice(0, rest);
      this.#orders.fill(0);
      this.#answers.push(this.#thread.sign(orders));
    }
    this.#thread.orderKeys();
    const answers = await Promise.all(this.#answers);
    for (const [at, asked] of this.#asked.entries()) {
      const { branch, position } = asked.path;
      const begin = (at % ORDERS_PER_MESSAGE) * SIGNATURE_BYTES;
      asked.signature =
        answers[Math.floor(at / ORDERS_PER_MESSAGE)]?.subarray(begin, begin + SIGNATURE_BYTES) ??
        this.#ring.sign(ACCOUNT, branch, position, asked.message, true);
    }
  }
}

/** Keys that are made at the same time: those that a batch of payments uses for change. */
export const KEYS_AHEAD = 32;

interface SigningThreadPorts {
  /** Stays the caller's, and has to outlive the signer. */
  readonly ring: KeyRing;
  /** The position of the next change address; null where none is needed. */
  nextChange(): number | null;
  /** Called when the thread has ended by itself. */
  onThreadLost(reason: unknown): void;
}

type Answered = (signatures: Uint8Array | undefined) => void;

class SigningThread {
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
