/**
 * Pairs of conflicting messages that no cut has punished yet, one for each offender. They are on disk before they are
 * sent, and are sent to all again at every height until the offender is punished.
 */
import { type Conflict, isWellFormed, sameSignedBytes } from 'svc-consensus/machine';
import { toHex } from 'svc-wasm/base';
import type { ValidatorSet } from 'svc-wasm/protocol';
import type { Driver } from '../driver.ts';
import type { Speaker } from '../peers/speaker.ts';

const OFFENDERS_MAX = 64;

export class EvidencePool {
  readonly #driver: Driver;
  readonly #speaker: Speaker;
  readonly #conflicts = new Map<string, Conflict>();
  /** Ids of the members of sets, by index. */
  readonly #ids = new WeakMap<ValidatorSet, string[]>();

  constructor(driver: Driver, speaker: Speaker) {
    this.#driver = driver;
    this.#speaker = speaker;
    for (const conflict of driver.ports.files.evidence.foundConflicts) {
      const offender = this.#offenderOf(conflict);
      if (offender !== undefined && this.#isOpen(offender)) this.#conflicts.set(offender, conflict);
    }
  }

  get size(): number {
    return this.#conflicts.size;
  }

  /** What a cut of a height can punish. */
  allFor(height: number): Conflict[] {
    return [...this.#conflicts.values()].filter(({ first }) => first.height <= height);
  }

  /** Whether two messages, if their signatures hold, convict a validator against which nothing is known yet. */
  isWanted({ first, second }: Conflict): boolean {
    const isPair =
      isWellFormed(first) &&
      isWellFormed(second) &&
      first.kind === second.kind &&
      first.height === second.height &&
      first.round === second.round &&
      first.validatorIndex === second.validatorIndex &&
      !sameSignedBytes(first, second);
    const offender = isPair ? this.#offenderOf({ first, second }) : undefined;
    return offender !== undefined && this.#isOpen(offender);
  }

  /** Whether nothing is known yet against the validator at an index of the set of a height. */
  isUnknown(height: number, validatorIndex: number): boolean {
    const offender = this.#validatorAt(height, validatorIndex);
    return offender !== undefined && this.#isOpen(offender);
  }

  /** Keeps a conflict whose signatures were checked, and sends it to all. */
  add(conflict: Conflict): void {
    const { log, files } = this.#driver.ports;
    const offender = this.#offenderOf(conflict);
    if (offender === undefined || !this.#isOpen(offender)) return;
    if (this.#conflicts.size >= OFFENDERS_MAX) return;
    this.#conflicts.set(offender, conflict);
    files.evidence.appendConflict(conflict);
    files.evidence.sync();
    log.warn(
      { validator: offender, height: conflict.first.height },
      'a validator signed two different messages',
    );
    this.#tell(conflict);
  }

  /** At a new height: forgets punished offenders, and sends the remaining pairs to all again. */
  review(): void {
    const { chain, files } = this.#driver.ports;
    if (this.#conflicts.size === 0) return;
    for (const id of this.#conflicts.keys()) if (chain.isPunished(id)) this.#conflicts.delete(id);
    if (this.#conflicts.size === 0) files.evidence.resetConflicts();
    for (const conflict of this.#conflicts.values()) this.#tell(conflict);
  }

  #tell(conflict: Conflict): void {
    this.#speaker.tell({ kind: 'evidence', ...conflict });
  }

  #isOpen(offender: string): boolean {
    return !this.#conflicts.has(offender) && !this.#driver.ports.chain.isPunished(offender);
  }

  #offenderOf({ first }: Conflict): string | undefined {
    return this.#validatorAt(first.height, first.validatorIndex);
  }

  #validatorAt(height: number, index: number): string | undefined {
    const set = this.#driver.ports.chain.setAt(height);
    return set === undefined ? undefined : this.#idsOf(set)[index];
  }

  #idsOf(set: ValidatorSet): readonly string[] {
    let ids = this.#ids.get(set);
    if (ids === undefined) {
      ids = set.validators.map(({ id }) => toHex(id));
      this.#ids.set(set, ids);
    }
    return ids;
  }
}
