/**
 * Execution of one transaction: its outcome, and the outputs and keys that move if it is executed. The
 * outcome is decided before anything moves.
 */
import { invariant } from '../assertion.ts';
import type { CutContext } from '../context.ts';
import type { TransactionOutcome } from '../cut.ts';
import {
  type Address,
  BURN_ADDRESS,
  compareText,
  type Identifier,
  outpointKey,
} from '../identifiers.ts';
import { LABELS, type OutcomeKind, toHex } from '../protocol.ts';
import type { OutputRecord } from '../records.ts';
import { type ExecutableTransaction, outputKey } from '../transaction.ts';
import { burn } from './burn.ts';
import { keyLookup, registerKeys } from './key-registry.ts';
import { applyOperation, bondedBy, operationOwner } from './operations.ts';
import { createOutput, spendOutput } from './outputs.ts';
import { invalid, type Refusal } from './refusal.ts';

export type Verdict = Omit<TransactionOutcome, 'transactionId' | 'blockId'>;

const NOT_EXECUTED = { fee: 0n, noteHash: '', payers: [] } as const;

export function executeTransaction(
  context: CutContext,
  transaction: ExecutableTransaction,
): Verdict {
  const hindrance = hindranceOf(context, transaction);
  if (hindrance !== null) return { ...NOT_EXECUTED, kind: hindrance, reason: '' };
  const spent = transaction.inputs.map((input) => context.state.get('outputs', outpointKey(input)));
  const outputs = spent.filter((output) => output !== undefined);
  invariant(outputs.length === transaction.inputs.length, 'an input vanished');
  const fee = feeOf(transaction, outputs);
  const refusal =
    sumFault(context, transaction, fee) ??
    witnessFault(context, transaction, outputs) ??
    applyOperation(context, transaction);
  if (refusal !== null) return { ...NOT_EXECUTED, kind: refusal.kind, reason: refusal.reason };
  move(context, transaction);
  const noteHash = noteHashOf(context, transaction);
  return { kind: 'finalized', reason: '', fee, noteHash, payers: payersOf(outputs) };
}

function noteHashOf({ hash }: CutContext, { payload }: ExecutableTransaction): Identifier {
  if (payload === undefined || payload.length === 0) return '';
  return toHex(hash(LABELS.note, payload));
}

function payersOf(spent: readonly OutputRecord[]): readonly Address[] {
  const addresses = new Set(spent.map(({ address }) => address));
  return [...addresses].sort(compareText);
}

/** Why the transaction is not executed at all: its past, its window or its inputs; null if it may be. */
function hindranceOf(context: CutContext, transaction: ExecutableTransaction): OutcomeKind | null {
  const height = BigInt(context.height);
  const spenders = transaction.inputs.map((input) =>
    context.state.get('spent', outpointKey(input)),
  );
  if (spenders.some((spender) => spender?.transactionId === transaction.id)) return 'skipped';
  if (height > transaction.validUntilHeight) return 'expired';
  if (height < transaction.validFromHeight) return 'not_yet_valid';
  if (spenders.some((spender) => spender !== undefined)) return 'conflict';
  const known = transaction.inputs.every(
    (input) => context.state.get('outputs', outpointKey(input)) !== undefined,
  );
  return known ? null : 'unknown_input';
}

/** Inputs less outputs less what an operation bonds; below zero if the sums do not hold. */
function feeOf(transaction: ExecutableTransaction, spent: readonly OutputRecord[]): bigint {
  const incoming = spent.reduce((sum, { amount }) => sum + amount, 0n);
  const outgoing = transaction.outputs.reduce((sum, { amount }) => sum + amount, 0n);
  return incoming - outgoing - bondedBy(transaction.operation);
}

function sumFault(
  context: CutContext,
  transaction: ExecutableTransaction,
  fee: bigint,
): Refusal | null {
  if (fee < 0n) return invalid('spends_more_than_inputs');
  if (transaction.declaredFee !== null && fee !== transaction.declaredFee)
    return invalid('fee_mismatch');
  if (fee < transaction.mass * context.parameters.minFeePerMass) return invalid('fee_too_low');
  return null;
}

function witnessFault(
  context: CutContext,
  transaction: ExecutableTransaction,
  spent: readonly OutputRecord[],
): Refusal | null {
  const { operation } = transaction;
  const owner = operation === null ? null : operationOwner(context.state, operation);
  if (owner !== null && typeof owner !== 'string') return owner;
  const holds =
    spent.every(({ address }) => address !== BURN_ADDRESS) &&
    context.signatures.verify(transaction, spent, owner, keyLookup(context));
  return holds ? null : invalid('wrong_witness');
}

function move(context: CutContext, transaction: ExecutableTransaction): void {
  const { id } = transaction;
  for (const input of transaction.inputs) spendOutput(context, outpointKey(input), id);
  transaction.outputs.forEach(({ address, amount }, outputIndex) => {
    if (address === BURN_ADDRESS) {
      burn(context, { cause: 'output', transactionId: id, amount });
      return;
    }
    const key = outputKey(transaction, outputIndex);
    createOutput(context, key, { address, amount, source: 'regular' }, id);
  });
  registerKeys(context, transaction);
}
