/**
 * Pairs of conflicting messages that this validator has seen and no cut has punished yet, one for each offender.
 */
import type { Conflict } from 'svc-finality';
import { toHex } from 'svc-wasm/base';
import type { Driver } from '../driver.ts';

const OFFENDERS_MAX = 64;

export class EvidencePool {
  readonly #driver: Driver;
  readonly #conflicts = new Map<string, Conflict>();

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  get size(): number {
    return this.#conflicts.size;
  }

  all(): Conflict[] {
    return [...this.#conflicts.values()];
  }

  /** Keeps a conflict, and tells the operator of an offender against whom nothing was known. */
  add(conflict: Conflict): void {
    const { chain, log } = this.#driver.ports;
    const { height, validatorIndex } = conflict.first;
    const offender = chain.setAt(height)?.validators[validatorIndex];
    if (offender === undefined) return;
    const validator = toHex(offender.id);
    if (this.#conflicts.has(validator) || this.#conflicts.size >= OFFENDERS_MAX) return;
    this.#conflicts.set(validator, conflict);
    log.warn({ validator, height }, 'a validator signed two different messages');
  }

  /** Forgets who has been punished. */
  forgetPunished(): void {
    const { chain } = this.#driver.ports;
    for (const id of this.#conflicts.keys()) if (chain.isPunished(id)) this.#conflicts.delete(id);
  }
}
