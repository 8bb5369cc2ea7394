/**
 * When an anchor closes, its blocks get its half of the subsidy in equal shares, and each the work
 * half of the fees it carried. Counted here from what was minted and from the outcomes.
 */
import { REGISTRATION_WINDOW_CUTS } from 'svc-ledger';
import type { Checker } from '../../checkers/checker.ts';
import type { LedgerLevel } from '../ledger-level.ts';
import type { Execution } from '../replica.ts';

export function rewards(level: LedgerLevel): Checker {
  let minted = level.mintedAtGenesis;
  let carry = 0n;
  let next = 1;
  const halves = [0n];
  const fees = new Map<string, bigint>();
  const anchors = new Map<string, number>();

  function note({ input, result }: Execution, mintedNow: bigint): void {
    for (const { id, anchorHeight } of input.registered) anchors.set(id, anchorHeight);
    for (const { blockId, fee } of result.events.outcomes)
      fees.set(blockId, (fees.get(blockId) ?? 0n) + fee / 2n);
    halves[input.height] = (mintedNow - minted) / 2n;
    minted = mintedNow;
  }

  function faultOf({ input, result }: Execution): string | undefined {
    const closed = input.height - REGISTRATION_WINDOW_CUTS;
    const paid = result.events.rewards;
    if (closed < 0) return paid.length === 0 ? undefined : 'paid before any anchor closed';
    const expected = [...anchors].filter(([, anchor]) => anchor === closed).map(([id]) => id);
    const ids = paid.map(({ blockId }) => blockId);
    if (ids.join() !== expected.sort().join()) return `anchor ${closed} pays other blocks`;
    carry += halves[closed] ?? 0n;
    const shares = paid.reduce((sum, { share }) => sum + share, 0n);
    carry -= shares;
    if (paid.length > 0 && (carry < 0n || carry >= BigInt(paid.length)))
      return `anchor ${closed} leaves ${carry} atoms to the next`;
    const wrong = paid.find(({ blockId, share, fees: own, amount }) => {
      return own !== (fees.get(blockId) ?? 0n) || amount !== share + own;
    });
    return wrong === undefined ? undefined : `block ${wrong.blockId} gets ${wrong.amount}`;
  }

  return {
    onDecision(world, node, { height }) {
      const replica = level.replicaOf(node);
      const execution = replica.executions[height - 1];
      if (height !== next || execution === undefined) return;
      next += 1;
      note(execution, replica.economy.minted);
      const fault = faultOf(execution);
      if (fault !== undefined) world.fail('rewards', `height ${height}: ${fault}`);
    },
  };
}
