/**
 * Reports of neighbours about messages that were not received here. Two neighbours with different reports about one
 * validator may each have one half of an equivocation without being neighbours of each other: each gets the report of
 * the other, and then sends what it has.
 */
import {
  type DigestEntry,
  disputedIn,
  type Height,
  isBitSet,
  type SignedMessage,
} from 'svc-consensus/machine';

/** Two neighbours that contradict each other, with the contradicting lines. */
export interface Dispute {
  readonly other: string;
  readonly saidByOther: readonly DigestEntry[];
  readonly said: readonly DigestEntry[];
}

export class ConflictingReports {
  readonly #told = new Map<string, Map<Height, readonly DigestEntry[]>>();

  /**
   * Keeps the lines of a report about messages that are not held here, and finds a neighbour with a different report.
   */
  hear(from: string, height: Height, said: readonly DigestEntry[]): Dispute | undefined {
    this.#keep(from, height, said);
    if (said.length === 0) return undefined;
    for (const [other, heights] of this.#told) {
      const theirs = other === from ? undefined : heights.get(height);
      if (theirs === undefined) continue;
      const saidByOther = disputedIn(theirs, said);
      if (saidByOther.length > 0) return { other, saidByOther, said: disputedIn(said, theirs) };
    }
    return undefined;
  }

  /** Whether neighbours report different contents for one slot. */
  isDisputed({ kind, height, round, validatorIndex }: SignedMessage): boolean {
    const said = new Set<string>();
    for (const heights of this.#told.values())
      for (const entry of heights.get(height) ?? []) {
        const isMeant = entry.kind === kind && entry.round === round;
        if (isMeant && isBitSet(entry.signers, validatorIndex))
          said.add(`${entry.value}/${entry.validRound}`);
      }
    return said.size > 1;
  }

  forgetBelow(height: Height): void {
    for (const [from, heights] of this.#told) {
      for (const at of heights.keys()) if (at < height) heights.delete(at);
      if (heights.size === 0) this.#told.delete(from);
    }
  }

  #keep(from: string, height: Height, said: readonly DigestEntry[]): void {
    const heights = this.#told.get(from) ?? new Map<Height, readonly DigestEntry[]>();
    this.#told.set(from, heights);
    if (said.length > 0) heights.set(height, said);
    else heights.delete(height);
  }
}
