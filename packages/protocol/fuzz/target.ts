/**
 * What is fuzzed: a function over bytes that may refuse its input with an `SvcError` and do nothing
 * else wrong.
 */
export interface Target {
  readonly name: string;
  /** Its part of the executions of a whole run, relative to the others. */
  readonly share: number;
  /** Valid inputs to start from. */
  readonly seeds: readonly Uint8Array[];
  /** How long one execution may take; half a second unless said otherwise. */
  readonly millisecondsMax?: number;
  /** Throws an `SvcError` for what it refuses; anything else it throws is a finding. */
  readonly run: (input: Uint8Array) => void;
}

/** What went wrong, on which input. */
export class Finding extends Error {
  readonly target: string;
  readonly execution: number;
  readonly input: Uint8Array;

  constructor(
    target: string,
    execution: number,
    input: Uint8Array,
    reason: string,
    cause?: unknown,
  ) {
    super(`${target}, execution ${execution}: ${reason}`, { cause });
    this.target = target;
    this.execution = execution;
    this.input = input;
  }
}
