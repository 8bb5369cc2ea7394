/**
 * Values of the state that are asked for with every payment, kept in memory. The process is the only one that writes to
 * the state, so that a value stays true until this process changes it, or takes a change back: then everything is
 * forgotten, because the change is not known here.
 */

/** Where the values are. */
export interface ValueSource {
  /** Grows whenever changes are taken back. */
  readonly takenBack: number;
}

/** Values beyond this many are forgotten, all at once: none is ever forgotten alone. */
const VALUES_MAX = 4_096;

export class Remembered<Key, Value> {
  readonly #source: ValueSource;
  readonly #values = new Map<Key, Value>();
  readonly #valuesMax: number;
  #takenBack: number;

  constructor(source: ValueSource, valuesMax = VALUES_MAX) {
    this.#source = source;
    this.#valuesMax = valuesMax;
    this.#takenBack = source.takenBack;
  }

  /** The value, which is read unless it is known. */
  get(key: Key, read: () => Value): Value {
    this.#forgetTakenBack();
    if (this.#values.has(key)) return this.#values.get(key) as Value;
    const value = read();
    this.#keep(key, value);
    return value;
  }

  /** What the value is now, after a statement that has changed it. */
  set(key: Key, value: Value): void {
    this.#forgetTakenBack();
    this.#keep(key, value);
  }

  #keep(key: Key, value: Value): void {
    if (this.#values.size >= this.#valuesMax) this.#values.clear();
    this.#values.set(key, value);
  }

  /** Has the value read again, after a statement that may have changed it. */
  forget(key: Key): void {
    this.#values.delete(key);
  }

  #forgetTakenBack(): void {
    if (this.#takenBack === this.#source.takenBack) return;
    this.#takenBack = this.#source.takenBack;
    this.#values.clear();
  }
}
