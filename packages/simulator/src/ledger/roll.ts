/**
 * Which validator of the plan is registered under which id of the ledger. An id follows from the transaction that registered it.
 */
import type { Identifier } from 'svc-ledger';

export class Roll {
  readonly #ids = new Map<number, Identifier>();
  readonly #validators = new Map<Identifier, number>();

  constructor(founders: readonly Identifier[]) {
    for (const [validator, id] of founders.entries()) this.enrol(validator, id);
  }

  enrol(validator: number, id: Identifier): void {
    this.#ids.set(validator, id);
    this.#validators.set(id, validator);
  }

  /** Undefined before its registration. */
  idOf(validator: number): Identifier | undefined {
    return this.#ids.get(validator);
  }

  validatorOf(id: Identifier): number | undefined {
    return this.#validators.get(id);
  }

  entries(): readonly (readonly [number, Identifier])[] {
    return [...this.#ids];
  }
}
