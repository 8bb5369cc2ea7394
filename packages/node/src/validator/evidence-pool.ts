/**
 * Proofs of equivocation that this validator has seen and no cut has punished yet, one for each offender.
 */
import { type Conflict, evidenceFields, type WireContext } from 'svc-finality';
import type { StateView } from 'svc-ledger';
import { toHex } from 'svc-wasm/base';
import type { Evidence, ValidatorSet } from 'svc-wasm/protocol';

const OFFENDERS_MAX = 64;

export class EvidencePool {
  readonly #evidence = new Map<string, Evidence>();

  get size(): number {
    return this.#evidence.size;
  }

  all(): Evidence[] {
    return [...this.#evidence.values()];
  }

  /** Keeps a conflict; says who is guilty if nothing was known against it. */
  add(conflict: Conflict, wire: WireContext, set: ValidatorSet): string | undefined {
    const offender = set.validators[conflict.first.validatorIndex];
    if (offender === undefined) return undefined;
    const id = toHex(offender.id);
    if (this.#evidence.has(id) || this.#evidence.size >= OFFENDERS_MAX) return undefined;
    this.#evidence.set(id, evidenceFields(wire, conflict));
    return id;
  }

  /** Forgets who has been punished. */
  review(view: StateView): void {
    for (const id of this.#evidence.keys()) {
      const validator = view.get('validators', id);
      if (validator === undefined || validator.status === 'removed') this.#evidence.delete(id);
    }
  }
}
