/**
 * The keys of a wallet's own addresses, of which it keeps those that were used last: making a key pair costs a third of
 * a signature, and the coins of one address are mostly spent one shortly after the other. It signs what it is given;
 * whether that may be signed is the caller's decision. `free` wipes everything.
 */
import type { WalletRoot } from 'svc-wasm';
import { CONTEXTS, contextBytes, wipe } from 'svc-wasm/base';
import { type KeyPair, mlDsa65 } from 'svc-wasm/kernel';

/** What signs for addresses: the ring, or the root itself where a key is used once. */
export type AddressKeys = Pick<WalletRoot, 'derivePublicKey' | 'sign' | 'signPossession'>;

/** Key pairs that are kept: change is spent some hundred payments after its address was derived. One takes six kilobytes. */
const KEYS_MAX = 2_048;

export class KeyRing implements AddressKeys {
  readonly #root: WalletRoot;
  /** By path, the one that was used last at the end. */
  readonly #kept = new Map<string, KeyPair>();
  readonly #keysMax: number;

  /** The root stays the caller's, and has to outlive the ring. */
  constructor(root: WalletRoot, keysMax = KEYS_MAX) {
    this.#root = root;
    this.#keysMax = keysMax;
  }

  derivePublicKey(account: number, branch: number, index: number): Uint8Array {
    return this.#keysAt(account, branch, index).publicKey.slice();
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
    return mlDsa65.sign(secretKey, message, { context });
  }

  signPossession(account: number, branch: number, index: number, message: Uint8Array): Uint8Array {
    const { secretKey } = this.#keysAt(account, branch, index);
    return mlDsa65.sign(secretKey, message, { context: contextBytes(CONTEXTS.possession) });
  }

  /** Lends a secret key, which stays the ring's. */
  withSecretKey(
    account: number,
    branch: number,
    index: number,
    use: (secretKey: Uint8Array) => void,
  ): void {
    use(this.#keysAt(account, branch, index).secretKey);
  }

  has(account: number, branch: number, index: number): boolean {
    return this.#kept.has(pathOf(account, branch, index));
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
  adopt(account: number, branch: number, index: number, keys: KeyPair): void {
    if (this.has(account, branch, index)) wipe(keys.secretKey);
    else this.#keep(pathOf(account, branch, index), keys);
  }

  free(): void {
    for (const { secretKey } of this.#kept.values()) wipe(secretKey);
    this.#kept.clear();
  }

  #keysAt(account: number, branch: number, index: number): KeyPair {
    const path = pathOf(account, branch, index);
    const keys = this.#kept.get(path) ?? this.#make(account, branch, index);
    this.#kept.delete(path);
    this.#keep(path, keys);
    return keys;
  }

  #keep(path: string, keys: KeyPair): void {
    this.#kept.set(path, keys);
    if (this.#kept.size > this.#keysMax) this.#forgetOldest();
  }

  #make(account: number, branch: number, index: number): KeyPair {
    return this.withSeed(account, branch, index, (seed) => mlDsa65.keygen(seed));
  }

  #forgetOldest(): void {
    for (const [path, { secretKey }] of this.#kept) {
      wipe(secretKey);
      this.#kept.delete(path);
      return;
    }
  }
}

function pathOf(account: number, branch: number, index: number): string {
  return `${account}/${branch}/${index}`;
}
