/** `status`: from memory and counters, so that it answers at once whatever else is going on. */
import { percentOf } from '../scan/scan-progress.ts';
import { VERSION } from '../version.ts';
import type { Handler } from './handler.ts';
import { coinsOf } from './values.ts';

export const status: Handler<'status'> = (wallet) => {
  const { node, scanner, state } = wallet;
  const totals = state.outputs.totals();
  const { progress } = scanner;
  return {
    version: VERSION,
    network: wallet.network,
    chain_id: state.meta.get('chain_id') ?? null,
    fingerprint: state.meta.get('fingerprint') as string,
    node_url: node.client.url,
    node_reachable: node.sync !== undefined,
    node_synced: node.sync?.synced ?? false,
    node_behind_by: node.sync?.behind_by ?? null,
    node_height: node.sync === undefined ? null : node.height,
    indexed_height: scanner.indexedHeight,
    scan: {
      phase: progress.phase,
      done: progress.done,
      total: progress.total,
      percent: percentOf(progress),
      last_error: progress.lastError,
    },
    addresses: state.addresses.next(0),
    outputs: totals.outputCount,
    balance: coinsOf(totals.balance),
    open_transactions: state.journal.openCount(),
    request_id_mismatches: wallet.outgoing.mismatches,
    confirmations: wallet.confirmations,
    auto_compound: wallet.autoCompound,
    auto_sweep_to: wallet.autoSweepTo,
    uptime_seconds: wallet.uptimeSeconds,
  };
};
