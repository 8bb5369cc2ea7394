/**
 * The keys of the wallet: derives addresses ahead of use and gives them out. Deriving takes the better part of
 * a millisecond for each, so many are derived in slices between which the daemon answers.
 */
import type { Clock } from 'svc-base/pure';
import { addressFromPublicKey, type Network, type WalletRoot } from 'svc-wasm';
import { ACCOUNT } from '../spend/build.ts';
import type { Branch, OwnAddress } from '../state/addresses.ts';
import type { State } from '../state/open-state.ts';
import type { AddressBook } from './address-book.ts';

const SLICE = 16;

export interface KeychainPorts {
  readonly root: WalletRoot;
  readonly network: Network;
  readonly state: State;
  readonly book: AddressBook;
  readonly clock: Clock;
  /** Called after an address was given out, before anybody is told of it. */
  afterIssue(): void;
}

export class Keychain {
  readonly root: WalletRoot;
  readonly #ports: KeychainPorts;

  constructor(ports: KeychainPorts) {
    this.root = ports.root;
    this.#ports = ports;
  }

  publicKey({ branch, position }: OwnAddress): Uint8Array {
    return this.root.derivePublicKey(ACCOUNT, branch, position);
  }

  /** The address that is given out next, or one further on. It is derived if it is not yet. */
  ahead(branch: Branch, further: number): OwnAddress {
    const { addresses } = this.#ports.state;
    const position = addresses.next(branch) + further;
    if (position >= addresses.derived(branch)) this.#derive(branch, position + 1);
    return addresses.at(branch, position) as OwnAddress;
  }

  issue(branch: Branch, label: string | null, requestId?: string): OwnAddress {
    this.ahead(branch, 0);
    const { addresses } = this.#ports.state;
    const issued = addresses.issue(branch, label, this.#ports.clock.now(), requestId);
    this.#ports.afterIssue();
    return issued;
  }

  /**
   * The wallet's first address, which owns positions and receives rewards unless another address is named.
   */
  first(): OwnAddress {
    const { addresses } = this.#ports.state;
    if (addresses.derived(0) === 0) this.#derive(0, 1);
    return addresses.at(0, 0) as OwnAddress;
  }

  /** Derives until `gap` addresses beyond the next are there. */
  async lookAhead(branch: Branch, gap: number, pause: () => Promise<void>): Promise<void> {
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
   * Derives addresses up to a count. Once the past of the wallet has been read, a new address counts as one without
   * a past.
   */
  #derive(branch: Branch, count: number): void {
    const { book, network, root, state } = this.#ports;
    const isScanned = state.meta.get('indexed_height') !== undefined;
    state.database.transaction(() => {
      for (let position = state.addresses.derived(branch); position < count; position++) {
        const publicKey = root.derivePublicKey(ACCOUNT, branch, position);
        const address = addressFromPublicKey(publicKey, network);
        book.add(address, state.addresses.add(branch, position, address, isScanned));
      }
    });
  }
}
