/**
 * What callers hear of requests besides their answers. Final outcomes of the wallet's own transactions: an outcome is final when
 * a finalized cut spent the inputs, through the transaction itself or, proven, through another, or when the time of the
 * transaction has passed. Only then are the outputs free again that it reserved. And names that were used for other parameters.
 */
import type { EventData } from 'svc-api/rpc';
import type { Log } from 'svc-base/pure';
import { coinsOf } from '../amounts.ts';
import type { EventTeller } from '../state/group-commit.ts';
import type { JournalTransaction, Settlement } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import { auditTransaction, type OutgoingRequest } from './record.ts';

/** The data of the event `settled`. */
export type SettledNotice = Omit<EventData<'settled'>, 'subscription' | 'sequence'>;

/**
 * Settles the transaction of this wallet that has spent an output, once it is proven that a cut has executed it. A
 * transaction that had reserved the output and is another one waits until the conflict is proven.
 */
export function settleFromSpend(state: State, spender: string, height: number): SettledNotice[] {
  const own = state.journal.findTransaction(spender);
  if (own === undefined || own.state === 'final') return [];
  return [settle(state, own, { outcome: 'finalized', height })];
}

/**
 * Records the outcome within the caller's commit. The outputs that the transaction reserved are free, unless another
 * open transaction spends them too: then that one holds them.
 */
export function settle(
  state: State,
  transaction: JournalTransaction,
  settlement: Settlement,
): SettledNotice {
  state.journal.settle(transaction.id, settlement);
  // Another history may bring a dead transaction back to life.
  if (settlement.outcome !== 'finalized') state.inputs.keepReserved(transaction.id);
  const rival = state.journal.openRival(transaction);
  if (rival === undefined) {
    state.outputs.release(transaction.id);
  } else {
    state.outputs.passOn(transaction.id, rival);
    state.inputs.passOn(transaction.id, rival);
  }
  const { height, outcome } = settlement;
  auditTransaction(state, transaction, { event: outcome, height });
  const request = state.journal.request(transaction.request);
  return {
    transaction: transaction.transactionId,
    request_id: request.requestId,
    kind: transaction.kind,
    automatic: request.isAutomatic,
    outcome: settlement.outcome,
    finalized_height: settlement.height,
    amount: coinsOf(transaction.amount),
    fee: coinsOf(transaction.fee),
    recipients: JSON.parse(transaction.recipients) as unknown[],
  };
}

/** So many names make events before the oldest may make another one: a caller in a loop does not fill the log of events. */
const NAMES_MAX = 1_000;
/** Names of addresses and of payments are apart. */
const ADDRESS_METHOD = 'new_address';

interface MismatchPorts {
  readonly events: Pick<EventTeller, 'record'>;
  readonly log: Log;
}

export class Mismatches {
  readonly #ports: MismatchPorts;
  readonly #told = new Set<string>();
  #count = 0;

  constructor(ports: MismatchPorts) {
    this.#ports = ports;
  }

  /** How many there were, since the daemon started. */
  get count(): number {
    return this.#count;
  }

  /** Counts and logs each; makes an event of the first of a name. */
  tell({
    caller,
    method,
    requestId: request_id,
  }: Pick<OutgoingRequest, 'caller' | 'method' | 'requestId'>): void {
    const { events, log } = this.#ports;
    this.#count++;
    const fields = { request_id, method, caller: caller?.name ?? null };
    const isAddress = method === ADDRESS_METHOD;
    const end = isAddress ? 'no address is given out' : 'nothing is paid';
    log.error(fields, `request_id reused with other parameters: ${end}`);
    const name = `${isAddress ? 'address' : 'payment'} ${request_id}`;
    if (this.#told.has(name)) return;
    const [oldest] = this.#told;
    if (oldest !== undefined && this.#told.size === NAMES_MAX) this.#told.delete(oldest);
    this.#told.add(name);
    events.record('request_id_mismatch', fields);
  }
}
