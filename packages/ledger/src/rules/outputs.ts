/**
 * Creation and spending of outputs. Every change of the output set passes here, so that the sum of outputs, the
 * history and the memory of spent outputs stay consistent.
 */
import { invariant, LedgerAssertionError } from '../assertion.ts';
import type { CutContext, Hash } from '../context.ts';
import {
  type Address,
  bytesOf,
  type Identifier,
  type Outpoint,
  type OutpointKey,
  outpointKey,
} from '../identifiers.ts';
import { LABELS, type OutputSource, toHex, Writer } from '../protocol.ts';
import type { OutputRecord } from '../records.ts';

/** Kinds of ids that the protocol itself gives out; numbers are part of the protocol. */
export const PAYOUT_KINDS = {
  genesis: 0,
  work_reward: 1,
  stake_reward: 2,
  stake_return: 3,
  genesis_bond: 4,
} as const;

/** Which chain an outpoint belongs to, and how its id is hashed. */
export interface PayoutPorts {
  readonly chainId: Identifier;
  readonly hash: Hash;
}

/**
 * The id of an output that the protocol makes. It cannot depend on its cut's id, which depends on it; it depends on the
 * chain, so that no two chains have an outpoint in common.
 */
export function payoutId(
  { chainId, hash }: PayoutPorts,
  height: number,
  kind: number,
  index: number,
): Identifier {
  const writer = new Writer(61).raw(bytesOf(chainId)).u64(BigInt(height)).u8(kind).u32(index);
  return toHex(hash(LABELS.payout, writer.finish()));
}

/**
 * The id of a bond of the genesis, in place of a transaction id for its position and validator. It is no outpoint and
 * does not name the chain: a validator's id can be known while the genesis is still being made.
 */
export function genesisBondId(hash: Hash, index: number): Identifier {
  const writer = new Writer(13).u64(0n).u8(PAYOUT_KINDS.genesis_bond).u32(index);
  return toHex(hash(LABELS.payout, writer.finish()));
}

export function createOutput(
  context: CutContext,
  key: OutpointKey,
  output: { address: Address; amount: bigint; source: OutputSource },
  transactionId: Identifier,
): void {
  invariant(output.amount > 0n, 'an output holds nothing');
  // The message is made only on failure: a text for every output would take time.
  if (context.state.get('outputs', key) !== undefined)
    throw new LedgerAssertionError(`output ${key} exists already`);
  context.state.put('outputs', key, { ...output, height: context.height });
  context.economy.outputs += output.amount;
  context.events.history.push({ kind: 'received', ...output, outpoint: key, transactionId });
}

/** Makes an output that no transaction lists; the amount may be zero, then nothing is made. */
export function payOut(
  context: CutContext,
  kind: 'work_reward' | 'stake_reward' | 'stake_return',
  payee: { address: Address; amount: bigint },
  cause?: Identifier,
): Outpoint | null {
  if (payee.amount === 0n) return null;
  const number = PAYOUT_KINDS[kind];
  const index = context.payoutCounts.get(number) ?? 0;
  context.payoutCounts.set(number, index + 1);
  const transactionId = payoutId(context, context.height, number, index);
  const outpoint = { transactionId, outputIndex: 0 };
  const { address, amount } = payee;
  const output = { address, amount, source: kind };
  createOutput(context, outpointKey(outpoint), output, cause ?? transactionId);
  return outpoint;
}

export function spendOutput(
  context: CutContext,
  key: OutpointKey,
  transactionId: Identifier,
): OutputRecord {
  const output = context.state.get('outputs', key);
  if (output === undefined) throw new LedgerAssertionError(`output ${key} is missing`);
  context.state.delete('outputs', key);
  context.state.put('spent', key, { transactionId, height: context.height });
  context.spent.push(key);
  context.economy.outputs -= output.amount;
  const { address, amount, source } = output;
  context.events.history.push({
    kind: 'spent',
    address,
    outpoint: key,
    amount,
    source,
    transactionId,
  });
  return output;
}
