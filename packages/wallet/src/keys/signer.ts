/**
 * Signs what is spent. One payment is signed at once, in the thread that asks; payments that are made together are signed in
 * a thread of their own, while their wallet goes on with other work. That thread is started when a wallet gets so busy, and
 * whatever it does not sign, because it has not begun yet, is gone or has no room, is signed here. When it has signed it
 * makes the keys of the addresses for change that come next; they go into the ring, where whoever uses an address finds
 * its key or makes it.
 */
import { Worker } from 'node:worker_threads';
import { BRANCHES } from 'svc-wasm';
import { wipe } from 'svc-wasm/base';
import { ACCOUNT } from '../spend/build.ts';
import type { KeyRing } from './key-ring.ts';
import type { KeyPath, PendingSignature, Signing } from './signing.ts';
import {
  KEY_SLOTS,
  type KeySlot,
  keySlotAt,
  newSlots,
  Orders,
  type SigningAnswer,
  type SigningOrder,
  SLOTS,
  type Slot,
  slotAt,
} from './signing-slots.ts';

/** So many payments at the same moment are worth a thread. */
const PAYMENTS_FOR_THREAD = 4;

export interface SignerPorts {
  /** Stays the caller's, and has to outlive the signer. */
  readonly ring: KeyRing;
  /** The position of the address for change that is derived next. */
  nextChange(): number;
  /** Called when the thread has ended by itself. */
  onThreadLost(reason: unknown): void;
}

export class Signer {
  readonly #ports: SignerPorts;
  #thread: SigningThread | undefined;
  #isClosed = false;

  constructor(ports: SignerPorts) {
    this.#ports = ports;
  }

  /** Begins to sign for so many payments. Only one signing may be under way at a time. */
  begin(payments: number): Signing {
    const isBusy = payments >= PAYMENTS_FOR_THREAD && !this.#isClosed;
    if (isBusy) this.#thread ??= new SigningThread(this.#ports);
    return payments > 1 && this.#thread?.isReady === true
      ? new ThreadSigning(this.#ports.ring, this.#thread)
      : new SigningHere(this.#ports.ring);
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

  constructor(ring: KeyRing, thread: SigningThread) {
    this.#ring = ring;
    this.#thread = thread;
  }

  sign(path: KeyPath, message: Uint8Array): PendingSignature {
    const asked: Asked = { path, message, signature: undefined };
    const at = this.#asked.push(asked) - 1;
    if (at < SLOTS) {
      const { branch, position } = path;
      this.#ring.withSecretKey(ACCOUNT, branch, position, (secretKey) =>
        this.#thread.order(at, secretKey, message),
      );
    }
    return () => {
      if (asked.signature === undefined) throw new Error('the signing is not done');
      return asked.signature;
    };
  }

  async done(): Promise<void> {
    const hasSigned = await this.#thread.finish();
    for (const [at, asked] of this.#asked.entries()) {
      const { branch, position } = asked.path;
      asked.signature =
        hasSigned && at < SLOTS
          ? this.#thread.signatureAt(at)
          : this.#ring.sign(ACCOUNT, branch, position, asked.message, true);
    }
  }
}

/** The thread and the memory that it shares. */
class SigningThread {
  readonly #memory = newSlots();
  readonly #orders = new Orders(this.#memory);
  readonly #slots = Array.from({ length: SLOTS }, (_, at) => slotAt(this.#memory, at));
  readonly #keySlots = Array.from({ length: KEY_SLOTS }, (_, at) => keySlotAt(this.#memory, at));
  readonly #ports: SignerPorts;
  readonly #worker: Worker;
  #state: 'starting' | 'ready' | 'gone' = 'starting';
  #finished: ((hasSigned: boolean) => void) | undefined;
  /** Slots that are filled for the signing that is under way. */
  #filled = 0;
  /** The positions of the keys that are being made. */
  #coming: readonly number[] = [];

  constructor(ports: SignerPorts) {
    this.#ports = ports;
    const program = new URL('./signing-worker.ts', import.meta.url);
    this.#worker = new Worker(program, { workerData: this.#memory });
    this.#worker.unref();
    this.#worker.on('message', (answer: SigningAnswer) => {
      if (answer === 'ready') this.#state = 'ready';
      else if (answer === 'signed') this.#finished?.(true);
      else this.#adoptKeys();
    });
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

  /** Fills the slot after the one that was filled last, which is the first slot for the first order of a signing. */
  order(at: number, secretKey: Uint8Array, message: Uint8Array): void {
    if (!this.isReady) return;
    if (at !== this.#filled) throw new RangeError(`slot ${at} is not the next`);
    const slot = this.#slotAt(at);
    slot.secretKey.set(secretKey);
    slot.message.set(message);
    this.#orders.tell(++this.#filled, false);
    if (at === 0) this.#post('sign');
  }

  /** Resolves with whether everything was signed that the thread was ordered to. */
  async finish(): Promise<boolean> {
    if (!this.isReady) return false;
    const filled = this.#filled;
    this.#filled = 0;
    if (filled > 0) this.#orders.tell(filled, true);
    this.#orderKeys();
    if (filled === 0) return true;
    const hasSigned = await new Promise<boolean>((resolve) => {
      this.#finished = resolve;
    });
    this.#finished = undefined;
    return hasSigned;
  }

  /** Has the keys made that the ring lacks for the next addresses, unless some are being made. */
  #orderKeys(): void {
    if (this.#coming.length > 0) return;
    const { nextChange, ring } = this.#ports;
    const next = nextChange();
    this.#coming = Array.from({ length: KEY_SLOTS }, (_, at) => next + at).filter(
      (position) => !ring.has(ACCOUNT, BRANCHES.change, position),
    );
    if (this.#coming.length === 0) return;
    for (const [at, position] of this.#coming.entries()) {
      ring.withSeed(ACCOUNT, BRANCHES.change, position, (seed) =>
        this.#keySlots[at]?.seed.set(seed),
      );
    }
    this.#post({ keys: this.#coming.length });
  }

  #adoptKeys(): void {
    if (!this.isReady) return;
    for (const [at, position] of this.#coming.entries()) {
      const { publicKey, secretKey } = this.#keySlots[at] as KeySlot;
      const keys = { publicKey: publicKey.slice(), secretKey: secretKey.slice() };
      wipe(secretKey);
      this.#ports.ring.adopt(ACCOUNT, BRANCHES.change, position, keys);
    }
    this.#coming = [];
  }

  signatureAt(at: number): Uint8Array {
    return this.#slotAt(at).signature.slice();
  }

  close(): void {
    this.#end();
    void this.#worker.terminate();
  }

  #slotAt(at: number): Slot {
    const slot = this.#slots[at];
    if (slot === undefined) throw new RangeError(`there is no slot ${at}`);
    return slot;
  }

  #post(order: SigningOrder): void {
    this.#worker.postMessage(order);
  }

  #end(): void {
    this.#state = 'gone';
    for (const { secretKey } of [...this.#slots, ...this.#keySlots]) wipe(secretKey);
    for (const { seed } of this.#keySlots) wipe(seed);
    this.#finished?.(false);
  }
}
