/**
 * Messages of the next height that arrive before this one is decided here: the first two rounds,
 * one message per validator, round and kind.
 */

import { NEXT_HEIGHT_ROUNDS_MAX, VALIDATORS_MAX } from '../base/limits.ts';
import type { SignedMessage } from '../base/messages.ts';

export interface EarlyMessage {
  readonly message: SignedMessage;
  /** For a proposal: the time its cut states and the local time at which it arrived. */
  readonly cutTimeMs: bigint;
  readonly receivedAtMs: bigint;
}

export type NextHeight = ReadonlyMap<number, EarlyMessage>;

const KINDS = ['proposal', 'prevote', 'precommit'] as const;

function keyOf(message: SignedMessage): number {
  const kind = KINDS.indexOf(message.kind);
  return (message.round * KINDS.length + kind) * VALIDATORS_MAX + message.validatorIndex;
}

export function isEarlyWanted(held: NextHeight, message: SignedMessage): boolean {
  return (
    message.round < NEXT_HEIGHT_ROUNDS_MAX &&
    Number.isInteger(message.validatorIndex) &&
    message.validatorIndex >= 0 &&
    message.validatorIndex < VALIDATORS_MAX &&
    !held.has(keyOf(message))
  );
}

/** The buffer with one more message, or `undefined` if it has no slot left for it. */
export function keepEarly(held: NextHeight, early: EarlyMessage): NextHeight | undefined {
  if (!isEarlyWanted(held, early.message)) return undefined;
  return new Map(held).set(keyOf(early.message), early);
}
