/**
 * Execution of the blocks that the cut before registered, in their order. A block earns the work half
 * of the fees of the transactions that it was the first to carry.
 */
import { invariant, present } from '../assertion.ts';
import type { CutContext } from '../context.ts';
import type { ExecutedBlock } from '../cut.ts';
import { type Identifier, numberKey } from '../identifiers.ts';
import type { StateView } from '../view.ts';
import { executeTransaction } from './execute-transaction.ts';
import { halvesOf } from './halves.ts';

/** The blocks that the cut at this height has to execute. */
export function blocksToExecute(view: StateView, height: number): readonly Identifier[] {
  return view.get('registered', numberKey(height - 1))?.blockIds ?? [];
}

export function executeBlocks(context: CutContext, blocks: readonly ExecutedBlock[]): void {
  const expected = blocksToExecute(context.state, context.height);
  invariant(
    blocks.length === expected.length && blocks.every(({ id }, index) => id === expected[index]),
    `cut ${context.height} does not execute the blocks that the cut before it registered`,
  );
  for (const block of blocks) executeBlock(context, block);
  if (expected.length > 0) context.state.delete('registered', numberKey(context.height - 1));
}

function executeBlock(context: CutContext, block: ExecutedBlock): void {
  let fees = 0n;
  for (const transaction of block.transactions) {
    const { kind, reason, fee } = executeTransaction(context, transaction);
    context.events.outcomes.push({
      transactionId: transaction.id,
      blockId: block.id,
      kind,
      reason,
      fee,
    });
    const { work, stake } = halvesOf(fee);
    fees += work;
    context.economy.workReserve += work;
    context.economy.stakeReserve += stake;
    context.economy.stakePool += stake;
  }
  if (fees > 0n) creditFees(context, block.id, fees);
}

function creditFees(context: CutContext, blockId: Identifier, fees: bigint): void {
  const { anchorHeight } = present(context.state.get('blocks', blockId), `block ${blockId}`);
  const key = numberKey(anchorHeight);
  const anchor = present(context.state.get('anchors', key), `anchor ${anchorHeight}`);
  const blocks = anchor.blocks.map((block) =>
    block.blockId === blockId ? { ...block, fees: block.fees + fees } : block,
  );
  context.state.put('anchors', key, { ...anchor, blocks });
}
