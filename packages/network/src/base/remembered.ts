/**
 * Values by name, at most a fixed number: the least recently used is forgotten first. For data about departed peers,
 * which choose their own names.
 */
export class Remembered<Value> {
  readonly #sizeMax: number;
  readonly #values = new Map<string, Value>();

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get size(): number {
    return this.#values.size;
  }

  /** The value of a name, which becomes the last to be forgotten; it is made if there is none. */
  getOrCreate(name: string, create: () => Value): Value {
    const value = this.#values.get(name) ?? create();
    this.#values.delete(name);
    const [oldest] = this.#values.keys();
    if (this.#values.size >= this.#sizeMax && oldest !== undefined) this.#values.delete(oldest);
    this.#values.set(name, value);
    return value;
  }
}
