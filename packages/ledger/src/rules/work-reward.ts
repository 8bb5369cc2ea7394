/**
 * Work rewards. An anchor's amount is divided equally among its registered blocks when its window
 * closes, 96 cuts after it; each block adds its fees. Blocks of one payout address share one output.
 * The amount of an anchor without work, and the atoms a division leaves, wait for the next with work.
 */
import { invariant, present } from '../assertion.ts';
import type { CutContext } from '../context.ts';
import {
  type Address,
  blockKey,
  compareText,
  type Identifier,
  numberKey,
  type Outpoint,
} from '../identifiers.ts';
import { REGISTRATION_WINDOW_CUTS } from '../parameters.ts';
import type { BlockRecord } from '../records.ts';
import { payOut } from './outputs.ts';

interface AnchorBlock extends BlockRecord {
  readonly id: Identifier;
}

/** Opens the cut itself as an anchor with the work half of its subsidy. */
export function openAnchor(context: CutContext, amount: bigint): void {
  context.state.put('anchors', numberKey(context.height), { amount });
  context.economy.workReserve += amount;
}

/** Closes the anchor whose window ends with this cut and pays its blocks. */
export function closeAnchor(context: CutContext): void {
  const { state, economy } = context;
  const anchorHeight = context.height - REGISTRATION_WINDOW_CUTS;
  if (anchorHeight < 0) return;
  const { amount } = present(state.get('anchors', numberKey(anchorHeight)), 'anchor');
  const blocks = blocksOf(context, anchorHeight);
  state.delete('anchors', numberKey(anchorHeight));
  economy.workCarry += amount;
  if (blocks.length === 0) return;
  const count = BigInt(blocks.length);
  const share = economy.workCarry / count;
  economy.workCarry %= count;
  payBlocks(context, anchorHeight, blocks, share);
  for (const { id } of blocks) state.delete('blocks', blockKey(anchorHeight, id));
}

/** The blocks of an anchor by ascending id. */
function blocksOf({ state }: CutContext, anchorHeight: number): AnchorBlock[] {
  return state.blockIdsOf(anchorHeight).map((id) => {
    const block = present(state.get('blocks', blockKey(anchorHeight, id)), `block ${id}`);
    return { ...block, id };
  });
}

function payBlocks(
  context: CutContext,
  anchorHeight: number,
  blocks: readonly AnchorBlock[],
  share: bigint,
): void {
  const outputs = new Map<Address, { outpoint: Outpoint | null; amount: bigint }>();
  for (const { address, amount } of amountsByAddress(blocks, share)) {
    context.economy.workReserve -= amount;
    const outpoint = payOut(context, 'work_reward', { address, amount });
    outputs.set(address, { outpoint, amount });
  }
  for (const { id: blockId, payoutAddress, fees } of blocks) {
    const output = outputs.get(payoutAddress);
    invariant(output !== undefined, `block ${blockId} was not paid`);
    const amount = share + fees;
    const isDue = amount > 0n;
    context.events.rewards.push({
      blockId,
      anchorHeight,
      payoutAddress,
      share,
      fees,
      amount,
      outpoint: isDue ? output.outpoint : null,
      outputAmount: isDue ? output.amount : 0n,
    });
  }
}

function amountsByAddress(
  blocks: readonly AnchorBlock[],
  share: bigint,
): { address: Address; amount: bigint }[] {
  const amounts = new Map<Address, bigint>();
  for (const { payoutAddress, fees } of blocks) {
    amounts.set(payoutAddress, (amounts.get(payoutAddress) ?? 0n) + share + fees);
  }
  return [...amounts]
    .map(([address, amount]) => ({ address, amount }))
    .sort((a, b) => compareText(a.address, b.address));
}
