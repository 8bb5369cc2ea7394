/**
 * Execution of the blocks that the cut before registered, in their order. A block earns the work half
 * of the fees of the transactions that it was the first to carry.
 */
import { invariant, present } from '../assertion.ts';
import type { CutContext } from '../context.ts';
import type { ExecutedBlock } from '../cut.ts';
import { blockKey, numberKey } from '../identifiers.ts';
import type { RegisteredRecord } from '../records.ts';
import type { StateView } from '../view.ts';
import { executeTransaction } from './execute-transaction.ts';
import { halvesOf } from './halves.ts';

/** The blocks that the cut at this height has to execute. */
export function blocksToExecute(view: StateView, height: number): RegisteredRecord['blocks'] {
  return view.get('registered', numberKey(height - 1))?.blocks ?? [];
}

export function executeBlocks(context: CutContext, blocks: readonly ExecutedBlock[]): void {
  const expected = blocksToExecute(context.state, context.height);
  invariant(
    blocks.length === expected.length &&
      blocks.every(({ id }, index) => id === expected[index]?.id),
    `cut ${context.height} does not execute the blocks that the cut before it registered`,
  );
  blocks.forEach((block, index) => {
    const fees = executeBlock(context, block);
    if (fees > 0n) creditFees(context, present(expected[index], 'registered block'), fees);
  });
}

/** Executes a block's transactions and returns the work half of their fees. */
function executeBlock(context: CutContext, block: ExecutedBlock): bigint {
  let fees = 0n;
  for (const transaction of block.transactions) {
    const verdict = executeTransaction(context, transaction);
    context.events.outcomes.push({ transactionId: transaction.id, blockId: block.id, ...verdict });
    const { work, stake } = halvesOf(verdict.fee);
    fees += work;
    context.economy.workReserve += work;
    context.economy.stakeReserve += stake;
    context.economy.stakePool += stake;
  }
  return fees;
}

function creditFees(
  context: CutContext,
  { id, anchorHeight }: RegisteredRecord['blocks'][number],
  fees: bigint,
): void {
  const key = blockKey(anchorHeight, id);
  const block = present(context.state.get('blocks', key), `block ${id}`);
  context.state.put('blocks', key, { ...block, fees: block.fees + fees });
}
