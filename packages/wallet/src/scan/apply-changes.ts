/**
 * Writes changes into the state, in one commit with the height they reach, the outcomes they decide and the events
 * they make. Changes that are applied twice change nothing the second time.
 */
import { type SettledNotice, settleFromSpend } from '../journal/settle.ts';
import { CUTS_KEPT, type KeptCut } from '../state/cuts.ts';
import type { StoredEvent } from '../state/events.ts';
import type { State } from '../state/open-state.ts';
import { HEIGHT_UNKNOWN, type NewOutput, type WalletOutput } from '../state/outputs.ts';
import { changeReuse, completeAbove, markOutdated, toldAtOf } from '../state/readings.ts';
import type { Change, DetailedChange } from './change.ts';
import { paymentDocument } from './payment-details.ts';

/** Payments in one event; a cut with more makes several. */
const PAYMENTS_PER_EVENT = 256;
const EVENTS_KEPT = 100_000;
const ROWS_MAX = 1_000_000;
/**
 * An hour at 2.5 seconds a cut: transactions are valid for no longer unless their callers say so. The bytes of a decided
 * one are kept for so long, and for as long as it could be executed in another history that the user accepts.
 */
const WIRES_KEPT_CUTS = 1_440;

interface ApplyOptions {
  readonly generation: number;
  /** Transactions that are proven to be executed; no other payment is settled. */
  readonly executed: ReadonlySet<string>;
  /** Cuts after which a payment is reported again. */
  readonly confirmations: number;
  /** Called before the commit; tests end the process there. */
  readonly beforeCommit?: () => void;
}

/**
 * Applies everything that happened up to a certified cut. Returns the events, which may be told once this returns.
 */
export function applyLive(
  state: State,
  changes: readonly DetailedChange[],
  cut: KeptCut,
  options: ApplyOptions,
): StoredEvent[] {
  const { height: upTo } = cut;
  return state.database.transaction(() => {
    const from = state.meta.number('indexed_height', 0);
    const settled = applyRows(state, changes, options);
    state.meta.set('indexed_height', String(upTo));
    state.cuts.keep(cut);
    state.journal.forgetWires(upTo - CUTS_KEPT);
    state.journal.forgetPastWires(from - WIRES_KEPT_CUTS, upTo - WIRES_KEPT_CUTS, upTo);
    const events = [
      ...settled.map((notice) => state.events.add('settled', upTo, notice)),
      ...paymentEvents(state, 'finalized', from, upTo, upTo),
      ...paymentEvents(
        state,
        'confirmations',
        from - options.confirmations + 1,
        upTo - options.confirmations + 1,
        upTo,
      ),
    ];
    if (events.length > 0) state.events.trim(EVENTS_KEPT);
    options.beforeCommit?.();
    return events;
  });
}

/**
 * A transaction whose change went to an address that this state has not given out, after the state was complete. No program
 * but this wallet knows such an address, and it gives one out in the commit that records the payment: another state of
 * the wallet has paid, a newer one that was lost or one that is in use elsewhere. Since change comes back to the same
 * addresses, if it does, a transaction that spends the wallet's coins and is not in its journal shows the same.
 */
function lostPayment(
  { addresses, journal, meta }: State,
  changes: readonly DetailedChange[],
): string | undefined {
  const above = completeAbove(meta);
  if (above === undefined || meta.get('fixed_addresses') !== undefined) return undefined;
  const next = addresses.next(1);
  const spentAbove = changeReuse(meta)?.height ?? Number.POSITIVE_INFINITY;
  const found = changes.find(({ addressId, finalized_height, kind, transaction_id: id }) => {
    if (finalized_height <= above) return false;
    if (kind === 'spent')
      return finalized_height > spentAbove && journal.findTransaction(id) === undefined;
    const { branch, position } = addresses.get(addressId);
    return branch === 1 && position >= next;
  });
  return found?.transaction_id;
}

interface RowOptions extends Pick<ApplyOptions, 'executed' | 'generation'> {
  /** The height at which payments are reported that the state lacked; their own without. */
  readonly toldAt?: number;
}

/** Writes changes into the state, within a transaction. Returns the notices of payments that they decide. */
function applyRows(
  state: State,
  changes: readonly DetailedChange[],
  { executed, generation, toldAt }: RowOptions,
): SettledNotice[] {
  const lost = lostPayment(state, changes);
  if (lost !== undefined) markOutdated(state, lost);
  const settled: SettledNotice[] = [];
  const isChange = changeTest(state, changes);
  for (const change of changes) {
    state.addresses.markUsed(change.addressId, change.finalized_height);
    if (change.kind === 'received') {
      const output = { ...outputOf(change), isChange: isChange(change) };
      const isNew = state.outputs.receive(output, generation);
      // What was there before the first cut is not a payment.
      if (isNew && toldAt !== undefined && output.height > 0)
        state.outputs.tellAt(output.transactionId, output.outputIndex, toldAt);
      continue;
    }
    settled.push(...spend(state, change, generation, executed.has(change.transaction_id)));
  }
  return settled;
}

/**
 * Returns which outputs are change. A wallet whose addresses are derived has addresses of their own for it; a wallet whose
 * addresses are fixed gets back to them what its payments leave.
 */
function changeTest(
  { journal, meta, outputs }: State,
  changes: readonly DetailedChange[],
): (change: DetailedChange) => boolean {
  if (meta.get('fixed_addresses') === undefined) return () => false;
  const spenders = new Set(
    changes.filter(({ kind }) => kind === 'spent').map(({ transaction_id }) => transaction_id),
  );
  return ({ finalized_height: height, transaction_id: id }) =>
    spenders.has(id) || journal.findTransaction(id) !== undefined || outputs.isSpentBy(id, height);
}

function spend(
  state: State,
  change: DetailedChange,
  generation: number,
  isExecuted: boolean,
): SettledNotice[] {
  const { outpoint, finalized_height: height, transaction_id: spender } = change;
  const { transaction_id: id, output_index: index } = outpoint;
  if (state.outputs.find(id, index) === undefined) {
    state.outputs.receive({ ...outputOf(change), height: HEIGHT_UNKNOWN }, generation);
  }
  const notices = isExecuted ? settleFromSpend(state, spender, height) : [];
  state.outputs.spend(id, index, height, spender);
  // What it brought back may have been met first, without what shows that it is change.
  if (state.meta.get('fixed_addresses') !== undefined) state.outputs.markChange(spender);
  return notices;
}

function outputOf(change: DetailedChange): NewOutput {
  return {
    transactionId: change.outpoint.transaction_id,
    outputIndex: change.outpoint.output_index,
    addressId: change.addressId,
    amount: BigInt(change.amount),
    source: change.source,
    height: change.finalized_height,
    ...change.details,
  };
}

function paymentEvents(
  state: State,
  event: 'finalized' | 'confirmations',
  after: number,
  upTo: number,
  indexedHeight: number,
): StoredEvent[] {
  const made: StoredEvent[] = [];
  if (upTo <= after) return made;
  const payments = state.outputs.receivedAfter(after, upTo, ROWS_MAX);
  for (let at = 0; at < payments.length; ) {
    const { height } = payments[at] as WalletOutput;
    let end = at + 1;
    while (end < at + PAYMENTS_PER_EVENT && payments[end]?.height === height) end++;
    const some = payments.slice(at, end);
    const data = {
      height,
      indexed_height: indexedHeight,
      payments: some.map((payment) => paymentDocument(payment, indexedHeight)),
    };
    made.push(state.events.add(event, height, data));
    at = end;
  }
  return made;
}

/** Whether the state lacks a change: an output, its height, its spending, or that this ends a payment of the wallet. */
export function isFound({ journal, outputs }: State, change: Change): boolean {
  const { output_index, transaction_id } = change.outpoint;
  const known = outputs.find(transaction_id, output_index);
  if (known === undefined) return true;
  if (change.kind === 'received')
    return known.height === HEIGHT_UNKNOWN && change.finalized_height !== HEIGHT_UNKNOWN;
  const own = journal.findTransaction(change.transaction_id);
  return known.spentHeight === null || (own !== undefined && own.state !== 'final');
}

/** Returns the events, which may be told once this returns. `beforeCommit` is called within the commit. */
export function applyFound(
  state: State,
  changes: readonly DetailedChange[],
  executed: ReadonlySet<string>,
  beforeCommit: () => void = () => {},
): StoredEvent[] {
  return state.database.transaction(() => {
    const { meta } = state;
    const indexedHeight = meta.number('indexed_height', 0);
    const generation = meta.number('generation', 0);
    const toldAt = toldAtOf(state);
    const told = toldAt === undefined ? {} : { toldAt };
    const settled = applyRows(state, changes, { executed, generation, ...told });
    const events = settled.map((notice) => state.events.add('settled', indexedHeight, notice));
    beforeCommit();
    return events;
  });
}
