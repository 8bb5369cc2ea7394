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
  BANKS,
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

  /** Begins to sign for so many payments; those that were begun before may be under way. */
  begin(payments: number): Signing {
    const isBusy = payments >= PAYMENTS_FOR_THREAD && !this.#isClosed;
    if (isBusy) this.#thread ??= new SigningThread(this.#ports);
    const bank = payments > 1 ? this.#thread?.takeBank() : undefined;
    return this.#thread === undefined || bank === undefined
      ? new SigningHere(this.#ports.ring)
      : new ThreadSigning(this.#ports.ring, this.#thread, bank);
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
  readonly #bank: Bank;
  readonly #asked: Asked[] = [];

  constructor(ring: KeyRing, thread: SigningThread, bank: Bank) {
    this.#ring = ring;
    this.#thread = thread;
    this.#bank = bank;
  }

  sign(path: KeyPath, message: Uint8Array): PendingSignature {
    const asked: Asked = { path, message, signature: undefined };
    const at = this.#asked.push(asked) - 1;
    if (at < SLOTS) {
      const { branch, position } = path;
      this.#ring.withSecretKey(ACCOUNT, branch, position, (secretKey) =>
        this.#thread.order(this.#bank, at, secretKey, message),
      );
    }
    return () => {
      if (asked.signature === undefined) throw new Error('the signing is not done');
      return asked.signature;
    };
  }

  async done(): Promise<void> {
    const hasSigned = await this.#thread.finish(this.#bank);
    const signatures = hasSigned ? this.#bank.signatures(this.#asked.length) : [];
    this.#bank.isTaken = false;
    for (const [at, asked] of this.#asked.entries()) {
      const { branch, position } = asked.path;
      asked.signature =
        signatures[at] ?? this.#ring.sign(ACCOUNT, branch, position, asked.message, true);
    }
  }
}

/** The slots of one signing. */
class Bank {
  readonly number: number;
  readonly orders: Orders;
  isTaken = false;
  /** Slots that are filled for the signing that is under way. */
  filled = 0;
  /** Called with whether everything is signed. */
  finished: ((hasSigned: boolean) => void) | undefined;
  readonly #slots: readonly Slot[];

  constructor(memory: SharedArrayBuffer, number: number) {
    this.number = number;
    this.orders = new Orders(memory, number);
    this.#slots = Array.from({ length: SLOTS }, (_, at) => slotAt(memory, number, at));
  }

  slotAt(at: number): Slot {
    const slot = this.#slots[at];
    if (slot === undefined) throw new RangeError(`there is no slot ${at}`);
    return slot;
  }

  /** The signatures of the first so many slots, or of all where there are fewer. */
  signatures(count: number): Uint8Array[] {
    return this.#slots.slice(0, count).map(({ signature }) => signature.slice());
  }

  wipe(): void {
    for (const { secretKey } of this.#slots) wipe(secretKey);
  }
}

/** The thread and the memory that it shares. */
class SigningThread {
  readonly #memory = newSlots();
  readonly #banks = Array.from({ length: BANKS }, (_, number) => new Bank(this.#memory, number));
  readonly #keySlots = Array.from({ length: KEY_SLOTS }, (_, at) => keySlotAt(this.#memory, at));
  readonly #ports: SignerPorts;
  readonly #worker: Worker;
  #state: 'starting' | 'ready' | 'gone' = 'starting';
  /** The positions of the keys that are being made. */
  #coming: readonly number[] = [];

  constructor(ports: SignerPorts) {
    this.#ports = ports;
    const program = new URL('./signing-worker.ts', import.meta.url);
    this.#worker = new Worker(program, { workerData: this.#memory });
    this.#worker.unref();
    this.#worker.on('message', (answer: SigningAnswer) => {
      if (answer === 'ready') this.#state = 'ready';
      else if (answer === 'keys') this.#adoptKeys();
      else this.#banks[answer.signed]?.finished?.(true);
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

  /** A bank for a signing, whose `finish` has to be called; none while all are taken or there is no thread. */
  takeBank(): Bank | undefined {
    const bank = this.isReady ? this.#banks.find(({ isTaken }) => !isTaken) : undefined;
    if (bank !== undefined) bank.isTaken = true;
    return bank;
  }

  /** Fills the slot after the one that was filled last, which is the first slot for the first order of a signing. */
  order(bank: Bank, at: number, secretKey: Uint8Array, message: Uint8Array): void {
    if (!this.isReady) return;
    if (at !== bank.filled) throw new RangeError(`slot ${at} is not the next`);
    const slot = bank.slotAt(at);
    slot.secretKey.set(secretKey);
    slot.message.set(message);
    bank.orders.tell(++bank.filled, false);
    if (at === 0) this.#post({ bank: bank.number });
  }

  /** Resolves with whether everything was signed that the thread was ordered to. */
  async finish(bank: Bank): Promise<boolean> {
    const { filled } = bank;
    bank.filled = 0;
    if (!this.isReady) return false;
    if (filled > 0) bank.orders.tell(filled, true);
    this.#orderKeys();
    if (filled === 0) return true;
    const hasSigned = await new Promise<boolean>((resolve) => {
      bank.finished = resolve;
    });
    bank.finished = undefined;
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

  close(): void {
    this.#end();
    void this.#worker.terminate();
  }

  #post(order: SigningOrder): void {
    this.#worker.postMessage(order);
  }

  #end(): void {
    this.#state = 'gone';
    for (const bank of this.#banks) bank.wipe();
    for (const { secretKey, seed } of this.#keySlots) {
      wipe(secretKey);
      wipe(seed);
    }
    for (const { finished } of this.#banks) finished?.(false);
  }
}
