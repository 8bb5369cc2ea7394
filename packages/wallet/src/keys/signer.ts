/**
 * Signs what is spent. One payment is signed at once, in the thread that asks; payments that are made together are signed in
 * a thread of their own, while their wallet goes on with other work. That thread is started when a wallet gets so busy, and
 * whatever it does not sign, because it has not begun yet, is gone or has no room, is signed here. When it has signed it
 * makes the keys of the addresses for change that come next; they go into the ring, where whoever uses an address finds
 * its key or makes it.
 */
import { ACCOUNT } from '../spend/build.ts';
import type { KeyRing } from './key-ring.ts';
import type { KeyPath, PendingSignature, Signing } from './signing.ts';
import { SLOTS } from './signing-slots.ts';
import { type Bank, SigningThread, type SigningThreadPorts } from './signing-thread.ts';

/** So many payments at the same moment are worth a thread. */
const PAYMENTS_FOR_THREAD = 4;

export type SignerPorts = SigningThreadPorts;

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
