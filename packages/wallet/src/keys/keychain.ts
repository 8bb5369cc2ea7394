/**
 * The keys of the wallet: derives addresses ahead of use and gives them out. Deriving takes the better part of
 * a millisecond for each, so many are derived in slices between which the daemon answers. A wallet whose addresses are
 * fixed derives none.
 */
import type { Clock, Log } from 'svc-base/pure';
import { addressFromPublicKey, BRANCHES, type Network, type WalletRoot } from 'svc-wasm';
import { WalletError } from '../errors.ts';
import type { Branch, OwnAddress } from '../state/addresses.ts';
import type { State } from '../state/open-state.ts';
import { changeReuse, isRescanning, isRestoring, readAdded } from '../state/readings.ts';
import type { AddressBook } from './address-book.ts';
import type { FixedAddresses, SharedPolicy } from './fixed-addresses.ts';
import { ACCOUNT, type AddressKeys, KeyRing } from './key-ring.ts';
import { Signer } from './signer.ts';

const SLICE = 16;
/** Addresses that are derived beyond one that was not there yet. */
const AHEAD = 3;
/** Further addresses for change that are derived at the same time where their keys are at hand. */
const READY_MAX = 12;

export interface KeychainPorts {
  /** Null where the keys are elsewhere. */
  readonly root: WalletRoot | null;
  /** Null where addresses are derived. */
  readonly fixed?: FixedAddresses | null | undefined;
  /** How many addresses change goes to in turn; null where each payment gets a new one. */
  readonly changeAddresses?: number | null | undefined;
  readonly network: Network;
  readonly state: State;
  readonly book: AddressBook;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after an address was given out, before it is returned. */
  afterIssue(): void;
}

export class Keychain {
  readonly #ports: KeychainPorts;
  readonly #ring: KeyRing | null;
  readonly #signer: Signer | null;
  #changeTurn = 0;

  constructor(ports: KeychainPorts) {
    this.#ports = ports;
    this.#ring = ports.root === null ? null : new KeyRing(ports.root);
    this.#signer = this.#ring === null ? null : this.#signerWith(this.#ring);
    const { fixed = null } = ports;
    if (fixed !== null) this.#adopt(fixed);
  }

  #signerWith(ring: KeyRing): Signer {
    const { log, state } = this.#ports;
    return new Signer({
      ring,
      nextChange: () => (this.#isChangeReused() ? null : state.addresses.derived(BRANCHES.change)),
      onThreadLost: (reason) => {
        const message = reason instanceof Error ? reason.message : String(reason);
        log.warn({ reason: message }, 'the signing thread has ended: the main one signs');
      },
    });
  }

  get root(): WalletRoot {
    const { root } = this.#ports;
    if (root !== null) return root;
    throw watchedOnly();
  }

  /** The keys of addresses; those used last are at hand. */
  get keys(): AddressKeys {
    if (this.#ring !== null) return this.#ring;
    throw watchedOnly();
  }

  /** Signs payments that are made together. */
  get signer(): Signer {
    if (this.#signer !== null) return this.#signer;
    throw watchedOnly();
  }

  get hasRoot(): boolean {
    return this.#ports.root !== null;
  }

  /** Whether there are no further addresses than those that the wallet was made with. */
  get isFixed(): boolean {
    return (this.#ports.fixed ?? null) !== null;
  }

  /** Who has to sign; null for a wallet of one owner. */
  get policy(): SharedPolicy | null {
    return this.#ports.fixed?.policy ?? null;
  }

  /** Refuses what one signature has to be enough for. */
  expectSingleOwner(): void {
    if (!this.isFixed) return;
    if (this.policy === null) throw watchedOnly();
    throw new WalletError('cannot_sign', 'payments of a shared wallet need several signatures', {
      hint: 'begin one with shared_propose',
    });
  }

  free(): void {
    this.#signer?.close();
    this.#ring?.free();
    this.#ports.root?.free();
  }

  publicKey({ branch, position }: Pick<OwnAddress, 'branch' | 'position'>): Uint8Array {
    return this.keys.derivePublicKey(ACCOUNT, branch, position);
  }

  /** The address that is given out next, or one further on. It is derived if it is not yet. */
  ahead(branch: Branch, further: number): OwnAddress {
    const { addresses } = this.#ports.state;
    const position = addresses.next(branch) + further;
    // Several at once, because each time is a commit.
    if (position >= addresses.derived(branch)) this.#derive(branch, position + 1 + AHEAD);
    return addresses.at(branch, position) as OwnAddress;
  }

  /** The address for change that comes next, or one further on, as `ahead` has it. */
  changeAhead(further: number): string {
    const { addresses } = this.#ports.state;
    const position = addresses.next(1) + further;
    if (position >= addresses.derived(1)) this.#derive(1, this.#readyFrom(position + 1 + AHEAD));
    return addresses.changeAt(position);
  }

  /** An address that had change before, where change goes to few addresses in turn; null while it goes to a new one. */
  changeAgain(): string | null {
    const { changeAddresses = null, state } = this.#ports;
    if (changeAddresses === null || !this.#isChangeReused()) return null;
    return state.addresses.changeAt(this.#changeTurn++ % changeAddresses);
  }

  /**
   * Whether change goes to few addresses in turn now: they were all given out, and one since the option was, by which
   * states from before recognise that they are old.
   */
  #isChangeReused(): boolean {
    const { changeAddresses = null, state } = this.#ports;
    if (changeAddresses === null) return false;
    const next = state.addresses.next(BRANCHES.change);
    return next >= changeAddresses && next > (changeReuse(state.meta)?.nextPosition ?? next);
  }

  /** How many addresses for change to derive: so many, and further ones whose keys were made already. */
  #readyFrom(count: number): number {
    let ready = count;
    while (ready < count + READY_MAX && this.#ring?.has(ACCOUNT, BRANCHES.change, ready) === true)
      ready++;
    return ready;
  }

  /** Whether an address is one of the wallet's, as far as memory tells; one that is not there is not the wallet's. */
  mayOwn(address: string): boolean {
    return this.#ports.book.idOf(address) !== undefined;
  }

  issue(branch: Branch, label: string | null, requestId?: string): OwnAddress {
    this.ahead(branch, 0);
    const { addresses } = this.#ports.state;
    const now = this.#ports.clock.now();
    const issued = this.#ports.state.database.transaction(() => {
      if (branch === BRANCHES.receive && addresses.next(branch) === 0 && !this.isFixed) {
        // What comes to the first address may be a reward, and must not be taken for a payment of a customer.
        addresses.issue(branch, null, now);
        this.ahead(branch, 0);
      }
      return addresses.issue(branch, label, now, requestId);
    });
    this.#ports.afterIssue();
    return issued;
  }

  /**
   * The wallet's first address, which owns positions and receives rewards unless another address is named. It is never
   * given out.
   */
  first(): OwnAddress {
    const { addresses } = this.#ports.state;
    if (addresses.derived(0) === 0) this.#derive(0, 1);
    return addresses.at(0, 0) as OwnAddress;
  }

  /** Derives until `gap` addresses beyond the next are there. */
  async lookAhead(branch: Branch, gap: number, pause: () => Promise<void>): Promise<void> {
    if (this.isFixed) return;
    const { addresses } = this.#ports.state;
    for (;;) {
      const wanted = addresses.next(branch) + gap;
      const derived = addresses.derived(branch);
      if (derived >= wanted) return;
      this.#derive(branch, Math.min(wanted, derived + SLICE));
      await pause();
    }
  }

  /**
   * Derives addresses up to a count. Once the past of the wallet has been read, and while it is not read again, a new
   * address counts as one without a past.
   */
  #derive(branch: Branch, count: number): void {
    const { book, network, state } = this.#ports;
    if (this.isFixed) {
      throw this.policy === null ? noFurther() : oneAddress();
    }
    // Receiving addresses are derived by the thousand, and those for change are spent from soon.
    const ring = branch === BRANCHES.change ? this.#ring : null;
    const addressAt = (position: number): string =>
      ring === null
        ? addressFromPublicKey(this.root.derivePublicKey(ACCOUNT, branch, position), network)
        : ring.addressAt(ACCOUNT, branch, position, network);
    const isScanned = !isRestoring(state.meta) && !isRescanning(state.meta);
    // Addresses that are forgotten are derived again, the same ones.
    state.database.lazily(() => {
      for (let position = state.addresses.derived(branch); position < count; position++) {
        const address = addressAt(position);
        book.add(address, state.addresses.add(branch, position, address, isScanned));
      }
    });
  }

  /** Gives a state the fixed addresses that it lacks. They may have a past, which is read. */
  #adopt({ addresses: fixed, labels = [] }: FixedAddresses): void {
    const { book, clock, state } = this.#ports;
    const { addresses, database, meta } = state;
    database.transaction(() => {
      meta.set('fixed_addresses', '1');
      if (addresses.derived(0) < fixed.length) readAdded(state);
      for (let position = addresses.derived(0); position < fixed.length; position++) {
        const address = fixed[position] as string;
        book.add(address, addresses.add(0, position, address, false));
        addresses.issue(0, labels[position] ?? null, clock.now());
      }
    });
  }
}

function watchedOnly(): WalletError {
  return new WalletError('cannot_sign', 'the keys of this wallet are elsewhere', {
    hint: 'make the payment with offline-request, and sign it where the keys are',
  });
}

function oneAddress(): WalletError {
  const hint = 'receive shows it';
  return new WalletError('fixed_addresses', 'a shared wallet has one address', { hint });
}

function noFurther(): WalletError {
  const hint = 'add others with watch-add';
  return new WalletError('fixed_addresses', 'the wallet watches addresses of others', { hint });
}
