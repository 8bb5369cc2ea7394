/**
 * The group `wallet`: how the wallet is, what it holds, what is under way. Everything is answered from counters and
 * the state, so that an answer comes at once whatever else is going on.
 */
import { type MethodResult, PAGE_MAX } from 'svc-api/rpc';
import { coinsOf } from '../amounts.ts';
import { percentOf } from '../scan/scanner.ts';
import type { JournalTransaction } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import { VERSION } from '../version.ts';
import type { Handler, WalletPorts } from './method.ts';

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
    indexed_cut_id: state.cuts.newest()?.cutId ?? null,
    contradiction: wallet.history.contradiction,
    recovering: state.meta.get('recovering') !== undefined,
    scan: {
      phase: progress.phase,
      done: progress.done,
      total: progress.total,
      percent: percentOf(progress),
      last_error: progress.lastError,
    },
    rescan: rescanOf(wallet),
    addresses: state.addresses.next(0),
    unpaid_addresses: state.addresses.unpaid(0),
    gap: wallet.gap,
    outputs: totals.outputCount,
    balance: coinsOf(totals.balance),
    open_transactions: state.journal.openCount(),
    request_id_mismatches: wallet.mismatches.count,
    confirmations: wallet.confirmations,
    auto_compound: wallet.autoCompound,
    auto_sweep_to: wallet.autoSweepTo,
    float: floatOf(wallet),
    uptime_seconds: wallet.uptimeSeconds,
  };
};

function rescanOf({ scanner }: WalletPorts): MethodResult<'status'>['rescan'] {
  const { rescanProgress } = scanner;
  if (rescanProgress === null) return null;
  const { done, lastError, total } = rescanProgress;
  return { done, total, last_error: lastError };
}

function floatOf({ float, state }: WalletPorts): MethodResult<'status'>['float'] {
  if (float === null) return null;
  const { amount, count } = float;
  return { count, amount: coinsOf(amount), free: state.outputs.countFree(amount, count) };
}

/** Counters that every commit keeps, whatever the number of outputs. */
export const balance: Handler<'balance'> = ({ incoming, scanner, state }) => {
  const totals = state.outputs.totals();
  const waiting = incoming.list().reduce((sum, { atoms }) => sum + atoms, 0n);
  return {
    balance: coinsOf(totals.balance),
    available: coinsOf(totals.balance - totals.reserved),
    reserved: coinsOf(totals.reserved),
    incoming: coinsOf(waiting),
    outputs: totals.outputCount,
    indexed_height: scanner.indexedHeight,
  };
};

type PendingEntry = MethodResult<'pending'>['transactions'][number];

export const pending: Handler<'pending'> = ({ state }, { cursor, limit = PAGE_MAX }) => {
  const found = state.journal.openAfter(Number(cursor ?? 0), limit + 1);
  const page = found.slice(0, limit);
  return {
    transactions: page.map((transaction) => pendingEntry(state, transaction)),
    ...(found.length > limit ? { next_cursor: String(page.at(-1)?.id) } : {}),
  };
};

function pendingEntry({ journal }: State, transaction: JournalTransaction): PendingEntry {
  return {
    transaction: transaction.transactionId,
    request_id: journal.request(transaction.request).requestId,
    kind: transaction.kind,
    state: transaction.state as PendingEntry['state'],
    amount: coinsOf(transaction.amount),
    fee: coinsOf(transaction.fee),
    recipients: JSON.parse(transaction.recipients) as PendingEntry['recipients'],
    attempts: transaction.attempts,
    valid_until_height: transaction.validUntil,
    created_at_millis: transaction.createdAtMillis,
  };
}

/** Answers at once; `status` shows how far it is, and `resync_required` when it is done. */
export const rescan: Handler<'rescan'> = (wallet, { accept_history, gap }) => {
  wallet.rescan(gap, accept_history);
  return { started: true, gap: wallet.gap };
};

/** The height is that from before the copy began: the copy has at least this much. */
export const backup: Handler<'backup'> = async ({ log, scanner, state }) => {
  const { indexedHeight } = scanner;
  const { bytes, path } = await state.backup.make();
  log.info({ file: path, bytes }, 'the state was copied');
  return { file: path, bytes, indexed_height: indexedHeight };
};
