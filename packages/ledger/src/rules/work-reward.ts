/**
 * Work rewards. An anchor's amount is divided equally among its registered blocks when its window
 * closes, 96 cuts after it; each block adds its fees. Blocks of one payout address share one output.
 * The amount of an anchor without work, and the atoms a division leaves, wait for the next with work.
 */
import { invariant, present } from '../assertion.ts';
import type { CutContext } from '../context.ts';
import { type Address, compareText, numberKey, type Outpoint } from '../identifiers.ts';
import { REGISTRATION_WINDOW_CUTS } from '../parameters.ts';
import type { AnchorBlock, AnchorRecord } from '../records.ts';
import { payOut } from './outputs.ts';

/** Opens the cut itself as an anchor with the work half of its subsidy. */
export function openAnchor(context: CutContext, amount: bigint): void {
  context.state.put('anchors', numberKey(context.height), { amount, blocks: [] });
  context.economy.workReserve += amount;
}

/** Closes the anchor whose window ends with this cut and pays its blocks. */
export function closeAnchor(context: CutContext): void {
  const anchorHeight = context.height - REGISTRATION_WINDOW_CUTS;
  if (anchorHeight < 0) return;
  const anchor = present(
    context.state.get('anchors', numberKey(anchorHeight)),
    `anchor ${anchorHeight}`,
  );
  context.state.delete('anchors', numberKey(anchorHeight));
  const available = anchor.amount + context.economy.workCarry;
  if (anchor.blocks.length === 0) {
    context.economy.workCarry = available;
    return;
  }
  const count = BigInt(anchor.blocks.length);
  context.economy.workCarry = available % count;
  payBlocks(context, anchorHeight, anchor, available / count);
  for (const { blockId, bodyRoot } of anchor.blocks) {
    context.state.delete('blocks', blockId);
    context.state.delete('bodies', bodyRoot);
  }
}

function payBlocks(
  context: CutContext,
  anchorHeight: number,
  anchor: AnchorRecord,
  share: bigint,
): void {
  const outpoints = new Map<Address, Outpoint | null>();
  for (const { address, amount } of amountsByAddress(anchor.blocks, share)) {
    context.economy.workReserve -= amount;
    outpoints.set(address, payOut(context, 'work_reward', { address, amount }));
  }
  for (const { blockId, payoutAddress, fees } of anchor.blocks) {
    const outpoint = outpoints.get(payoutAddress);
    invariant(outpoint !== undefined, `block ${blockId} was not paid`);
    const amount = share + fees;
    context.events.rewards.push({
      blockId,
      anchorHeight,
      payoutAddress,
      share,
      fees,
      amount,
      outpoint: amount === 0n ? null : outpoint,
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
