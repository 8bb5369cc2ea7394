/**
 * What happened to this validator at each of the last heights, so that a missed cut can be explained.
 */
import type { Row } from 'svc-consensus/machine';

interface Entry {
  readonly startAtMillis: number;
  readonly proposeMillis: number;
  neighbours: number;
  isPaused: boolean;
  /** The first proposal: how long after the start it came, and why its time was not plausible. */
  proposalAfterMillis: number | undefined;
  untimely: string | undefined;
  invalid: string | undefined;
  waits: string | undefined;
  refused: string | undefined;
  votedNil: boolean;
  precommitted: boolean;
}

const HEIGHTS_MAX = 16;
/** Harmless: another cut of the window will name this validator. */
export const SIGNED_LATE = 'signed, but the next proposer had not seen it';
/** Rows in which a validator prevotes nil. */
const NIL_ROWS: ReadonlySet<Row> = new Set<Row>([7, 9, 10]);

export class HeightHistory {
  readonly #entries = new Map<number, Entry>();

  begin(height: number, startAtMillis: number, proposeMillis: number): void {
    this.#entries.set(height, {
      startAtMillis,
      proposeMillis,
      neighbours: -1,
      isPaused: false,
      proposalAfterMillis: undefined,
      untimely: undefined,
      invalid: undefined,
      waits: undefined,
      refused: undefined,
      votedNil: false,
      precommitted: false,
    });
    this.#entries.delete(height - HEIGHTS_MAX);
  }

  #at(height: number, note: (entry: Entry) => void): void {
    const entry = this.#entries.get(height);
    if (entry !== undefined) note(entry);
  }

  sees(height: number, neighbours: number): void {
    this.#at(height, (entry) => {
      entry.neighbours = Math.max(entry.neighbours, neighbours);
    });
  }

  paused(height: number): void {
    this.#at(height, (entry) => {
      entry.isPaused = true;
    });
  }

  proposal(height: number, atMillis: number, untimely: string | undefined): void {
    this.#at(height, (entry) => {
      entry.proposalAfterMillis ??= atMillis - entry.startAtMillis;
      entry.untimely ??= untimely;
    });
  }

  judgedInvalid(height: number, reason: string): void {
    this.#at(height, (entry) => {
      entry.invalid = reason;
    });
  }

  waitsFor(height: number, what: string): void {
    this.#at(height, (entry) => {
      entry.waits = what;
    });
  }

  rows(height: number, rows: readonly Row[]): void {
    if (!rows.some((row) => NIL_ROWS.has(row))) return;
    this.#at(height, (entry) => {
      entry.votedNil = true;
    });
  }

  precommitted(height: number): void {
    this.#at(height, (entry) => {
      entry.precommitted = true;
    });
  }

  refused(height: number, reason: string): void {
    this.#at(height, (entry) => {
      entry.refused ??= reason;
    });
  }

  /** Why this validator is not among the signers of a cut. */
  reason(height: number): string {
    const entry = this.#entries.get(height);
    if (entry === undefined) return 'this validator was not running or was catching up';
    if (entry.isPaused) return 'paused';
    if (entry.precommitted) return SIGNED_LATE;
    if (entry.refused !== undefined) return `the signer refused: ${entry.refused}`;
    if (entry.neighbours === 0) return 'not connected';
    return reasonOfVotes(entry);
  }
}

function reasonOfVotes(entry: Entry): string {
  const { proposalAfterMillis: after, proposeMillis } = entry;
  if (after === undefined) return 'no proposal seen';
  if (entry.untimely !== undefined) return `voted nil because ${entry.untimely}`;
  if (entry.invalid !== undefined) return `voted nil because the cut is invalid: ${entry.invalid}`;
  if (after > proposeMillis) return `the proposal was late by ${after - proposeMillis} ms`;
  if (entry.votedNil && entry.waits !== undefined)
    return `voted nil because it waited for ${entry.waits}`;
  if (entry.votedNil) return 'voted nil because of a lock on another cut';
  return 'too few votes were seen in time';
}
