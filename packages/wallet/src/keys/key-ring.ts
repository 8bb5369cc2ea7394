/**
 * The keys of a wallet's own addresses, of which it keeps those that were used last: making a key pair costs a third of
 * a signature, and the coins of one address are mostly spent one shortly after the other. A key of change that signed is
 * forgotten before the others: change is mostly one coin of its address. The ring signs what it is given; whether that may
 * be signed is the caller's decision. `free` wipes everything.
 */
import { BRANCHES, type Network, type WalletRoot } from 'svc-wasm';
import { CONTEXTS, contextBytes, encodeAddress, wipe } from 'svc-wasm/base';
import { type KeyPair, mlDsa65 } from 'svc-wasm/kernel';
import { keyAddressBytes } from 'svc-wasm/protocol';

/** The account of a wallet's own addresses. */
export const ACCOUNT = 0;

/** What signs for addresses: the ring, or the root itself where a key is used once. */
export type AddressKeys = Pick<WalletRoot, 'derivePublicKey' | 'sign' | 'signPossession'>;

/** Key pairs that are kept: change is spent some hundred payments after its address was derived. One takes six kilobytes. */
const KEYS_MAX = 2_048;
/** Of these, keys of change that signed and stay for a while: a payment asks for the public key after its signature. */
const SPENT_KEYS_MIN = 256;

/** A key pair, with the bytes of its address where those were made too. */
export interface AddressKeyPair extends KeyPair {
  readonly address?: Uint8Array;
}

type Place = number | string;
type Keys = Map<Place, AddressKeyPair>;

export class KeyRing implements AddressKeys {
  readonly #root: WalletRoot;
  /** By place, the one that was used last at the end. */
  readonly #kept: Keys = new Map();
  /** Those of change that signed; in the same order. */
  readonly #spent: Keys = new Map();
  readonly #keysMax: number;
  readonly #spentMin: number;

  /** The root stays the caller's, and has to outlive the ring. */
  constructor(root: WalletRoot, keysMax = KEYS_MAX) {
    this.#root = root;
    this.#keysMax = keysMax;
    this.#spentMin = Math.min(SPENT_KEYS_MIN, Math.floor(keysMax / 2));
  }

  derivePublicKey(account: number, branch: number, index: number): Uint8Array {
    return this.#keysAt(account, branch, index).publicKey.slice();
  }

  /** The address that the key at a place has on a network. */
  addressAt(account: number, branch: number, index: number, network: Network): string {
    const { address, publicKey } = this.#keysAt(account, branch, index);
    return encodeAddress(address ?? keyAddressBytes(publicKey), network);
  }

  sign(
    account: number,
    branch: number,
    index: number,
    message: Uint8Array,
    spend: boolean,
  ): Uint8Array {
    const { secretKey } = this.#keysAt(account, branch, index);
    const context = contextBytes(spend ? CONTEXTS.spend : CONTEXTS.operation);
    const signature = mlDsa65.sign(secretKey, message, { context });
    if (spend) this.#hasSpent(account, branch, index);
    return signature;
  }

  signPossession(account: number, branch: number, index: number, message: Uint8Array): Uint8Array {
    const { secretKey } = this.#keysAt(account, branch, index);
    return mlDsa65.sign(secretKey, message, { context: contextBytes(CONTEXTS.possession) });
  }

  /** Lends a secret key, which stays the ring's, for a spend. */
  withSecretKey(
    account: number,
    branch: number,
    index: number,
    use: (secretKey: Uint8Array) => void,
  ): void {
    use(this.#keysAt(account, branch, index).secretKey);
    this.#hasSpent(account, branch, index);
  }

  has(account: number, branch: number, index: number): boolean {
    const place = placeOf(account, branch, index);
    return this.#kept.has(place) || this.#spent.has(place);
  }

  /** Lends the seed that a key pair is made from, and wipes it. */
  withSeed<T>(account: number, branch: number, index: number, use: (seed: Uint8Array) => T): T {
    const seed = this.#root.exportSeed(account, branch, index);
    try {
      return use(seed);
    } finally {
      wipe(seed);
    }
  }

  /** Keeps a key pair that was made elsewhere from the seed of this place. */
  adopt(account: number, branch: number, index: number, keys: AddressKeyPair): void {
    if (this.has(account, branch, index)) wipe(keys.secretKey);
    else this.#keep(placeOf(account, branch, index), keys);
  }

  free(): void {
    for (const keys of [this.#kept, this.#spent]) {
      for (const { secretKey } of keys.values()) wipe(secretKey);
      keys.clear();
    }
  }

  #keysAt(account: number, branch: number, index: number): AddressKeyPair {
    const place = placeOf(account, branch, index);
    const spent = this.#spent.get(place);
    if (spent !== undefined) {
      moveToEnd(this.#spent, place, spent);
      return spent;
    }
    const kept = this.#kept.get(place);
    if (kept !== undefined) {
      moveToEnd(this.#kept, place, kept);
      return kept;
    }
    const made = this.#make(account, branch, index);
    this.#keep(place, made);
    return made;
  }

  /** Has the key give way before others from now on, if it is one of change. */
  #hasSpent(account: number, branch: number, index: number): void {
    if (branch !== BRANCHES.change) return;
    const place = placeOf(account, branch, index);
    const keys = this.#kept.get(place);
    if (keys === undefined) return;
    this.#kept.delete(place);
    this.#spent.set(place, keys);
  }

  #keep(place: Place, keys: AddressKeyPair): void {
    this.#kept.set(place, keys);
    if (this.#kept.size + this.#spent.size <= this.#keysMax) return;
    forgetOldest(this.#spent.size > this.#spentMin ? this.#spent : this.#kept);
  }

  #make(account: number, branch: number, index: number): KeyPair {
    return this.withSeed(account, branch, index, (seed) => mlDsa65.keygen(seed));
  }
}

function moveToEnd(keys: Keys, place: Place, pair: AddressKeyPair): void {
  keys.delete(place);
  keys.set(place, pair);
}

function forgetOldest(keys: Keys): void {
  for (const [place, { secretKey }] of keys) {
    wipe(secretKey);
    keys.delete(place);
    return;
  }
}

/** A number for each key that a wallet uses: a payment looks for a dozen keys, and a text would be made for each. */
function placeOf(account: number, branch: number, index: number): Place {
  const isUsual = account === 0 && (branch === 0 || branch === 1) && index >>> 0 === index;
  return isUsual ? 2 * index + branch : `${account}/${branch}/${index}`;
}
