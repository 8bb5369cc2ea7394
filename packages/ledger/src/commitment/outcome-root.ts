/**
 * The outcome root: what became of every transaction of the executed blocks, in order.
 */
import type { Hash } from '../context.ts';
import type { OutcomeKind, TransactionOutcome } from '../cut.ts';
import { bytesOf, type Identifier } from '../identifiers.ts';
import { LABELS, toHex, Writer } from '../protocol.ts';

export const OUTCOME_CODES: Readonly<Record<OutcomeKind, number>> = {
  finalized: 1,
  skipped: 2,
  expired: 3,
  not_yet_valid: 4,
  conflict: 5,
  unknown_input: 6,
  invalid: 7,
  no_effect: 8,
};

export function outcomeRoot(hash: Hash, outcomes: readonly TransactionOutcome[]): Identifier {
  const writer = new Writer().varint(outcomes.length);
  for (const { transactionId, kind, fee } of outcomes) {
    writer.raw(bytesOf(transactionId)).u8(OUTCOME_CODES[kind]).u64(fee);
  }
  return toHex(hash(LABELS.outcome, writer.finish()));
}
