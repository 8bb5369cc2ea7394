/**
 * The thread that signs for a busy wallet, seen from the wallet: its memory, the signings that are under way in it, and the
 * keys that it makes. Whoever asks for more than it has room for is told, and signs elsewhere.
 */
import { Worker } from 'node:worker_threads';
import { BRANCHES } from 'svc-wasm';
import { wipe } from 'svc-wasm/base';
import { ACCOUNT } from '../spend/build.ts';
import type { KeyRing } from './key-ring.ts';
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

export interface SigningThreadPorts {
  /** Stays the caller's, and has to outlive the signer. */
  readonly ring: KeyRing;
  /** The position of the address for change that is derived next; null where none is needed. */
  nextChange(): number | null;
  /** Called when the thread has ended by itself. */
  onThreadLost(reason: unknown): void;
}

/** The slots of one signing. */
export class Bank {
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
export class SigningThread {
  readonly #memory = newSlots();
  readonly #banks = Array.from({ length: BANKS }, (_, number) => new Bank(this.#memory, number));
  readonly #keySlots = Array.from({ length: KEY_SLOTS }, (_, at) => keySlotAt(this.#memory, at));
  readonly #ports: SigningThreadPorts;
  readonly #worker: Worker;
  #state: 'starting' | 'ready' | 'gone' = 'starting';
  /** The positions of the keys that are being made. */
  #coming: readonly number[] = [];

  constructor(ports: SigningThreadPorts) {
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
    if (next === null) return;
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
      const { address, publicKey, secretKey } = this.#keySlots[at] as KeySlot;
      const keys = {
        publicKey: publicKey.slice(),
        secretKey: secretKey.slice(),
        address: address.slice(),
      };
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
