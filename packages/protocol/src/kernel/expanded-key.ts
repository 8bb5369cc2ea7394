/**
 * Public keys kept ready for verification in the kernel's memory. A kernel has a fixed number of
 * slots; the key used longest ago is evicted, and a key that lost its slot, by that or by a restart
 * of the kernel, is expanded again when it is next used.
 */
import { expectBytes } from '../base/bytes.ts';
import { PUBLIC_KEY_BYTES } from '../base/sizes.ts';
import type { KernelInstance } from './instance.ts';

/** A public key whose expansion the kernel may hold. Made by `mlDsa65.expand`. */
export class ExpandedKey {
  readonly #publicKey: Uint8Array;
  /** The slot that the key had last; the slot table says whether the key still has it. */
  lastSlot = -1;

  constructor(publicKey: Uint8Array) {
    this.#publicKey = expectBytes(publicKey, 'publicKey', PUBLIC_KEY_BYTES).slice();
  }

  /** Whether a value is an expanded key. Unlike `instanceof`, this accepts no proxy. */
  static is(value: unknown): value is ExpandedKey {
    return typeof value === 'object' && value !== null && #publicKey in value;
  }

  copyPublicKey(target: Uint8Array, at: number): void {
    target.set(this.#publicKey, at);
  }

  get publicKey(): Uint8Array {
    return this.#publicKey.slice();
  }
}

interface Slot {
  owner: ExpandedKey | undefined;
  usedAt: number;
}

export class SlotTable {
  readonly #instance: KernelInstance;
  readonly #slotBytes: number;
  readonly #slots: Slot[];
  #base = 0;
  #generation = -1;
  #clock = 0;

  constructor(instance: KernelInstance) {
    this.#instance = instance;
    this.#slotBytes = instance.exports.mldsaExpandedKeyBytes();
    const count = Math.floor(instance.extraBytes / this.#slotBytes);
    this.#slots = Array.from({ length: count }, () => ({ owner: undefined, usedAt: 0 }));
  }

  /** The address of the key's expansion, made now if it is not there; 0 if there are no slots. */
  addressOf(key: ExpandedKey): number {
    if (this.#generation !== this.#instance.generation) this.#forgetAll();
    const kept = this.#slots[key.lastSlot];
    if (kept !== undefined && kept.owner === key) {
      kept.usedAt = ++this.#clock;
      return this.#base + key.lastSlot * this.#slotBytes;
    }
    return this.#expand(key);
  }

  /**
   * The addresses of many keys, all good for one call that follows: none evicts another. Keys
   * beyond the number of slots get 0.
   */
  addressesOf(keys: readonly ExpandedKey[]): number[] {
    return keys.map((key, index) => (index < this.#slots.length ? this.addressOf(key) : 0));
  }

  #forgetAll(): void {
    for (const slot of this.#slots) slot.owner = undefined;
    this.#base = this.#instance.exports.heapBase();
    this.#generation = this.#instance.generation;
  }

  #oldest(): number {
    let oldest = 0;
    for (const [index, slot] of this.#slots.entries()) {
      if (slot.owner === undefined) return index;
      if (slot.usedAt < (this.#slots[oldest] as Slot).usedAt) oldest = index;
    }
    return oldest;
  }

  #expand(key: ExpandedKey): number {
    if (this.#slots.length === 0) return 0;
    const index = this.#oldest();
    const slot = this.#slots[index] as Slot;
    const address = this.#base + index * this.#slotBytes;
    const { bytes, input } = this.#instance;
    slot.owner = undefined;
    key.copyPublicKey(bytes, input);
    this.#instance.invoke((exports) => exports.mldsaExpand(input, address));
    slot.owner = key;
    slot.usedAt = ++this.#clock;
    key.lastSlot = index;
    return address;
  }
}

const tables = new WeakMap<KernelInstance, SlotTable>();

export function slotTable(instance: KernelInstance): SlotTable {
  let table = tables.get(instance);
  if (table === undefined) {
    table = new SlotTable(instance);
    tables.set(instance, table);
  }
  return table;
}
