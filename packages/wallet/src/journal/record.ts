/**
 * Writes a request and its transactions into the state: the bytes, the coins they hold and the addresses they
 * use, all within the caller's commit.
 */

import type { Clock } from 'svc-base/pure';
import { coinsOf } from '../amounts.ts';
import type { BuiltTransaction } from '../spend/build.ts';
import type { PaymentBuilder } from '../spend/payment-builder.ts';
import type { AuditEntry, AuditOutbox } from '../state/audit-outbox.ts';
import type { JournalRequest, NewTransaction } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import { type Caller, chargeBudget, formatBudget, parseBudget } from './limits.ts';

export interface OutgoingRequest {
  readonly requestId: string;
  readonly method: string;
  /** As JSON: amounts are decimal strings of atoms. */
  readonly params: object;
  readonly isAutomatic: boolean;
  /** Who asks; callers that are not named have no limits. */
  readonly caller?: Caller;
}

export interface MadeTransaction {
  readonly kind: string;
  readonly built: BuiltTransaction;
  readonly amount: bigint;
  readonly recipients: readonly object[];
  /** The row of the transaction whose coins it spends; they stay reserved by that one. */
  readonly replaces?: number;
}

export interface Made {
  readonly transactions: readonly MadeTransaction[];
  /** The result for the caller, without the fields that are known only once the node has answered. */
  readonly result: object;
}

/** Makes the transactions of a request with a builder. */
export type Make = (builder: PaymentBuilder) => Promise<Made>;

/** What transactions are recorded with of the request that they are made for. */
type AskedRequest = Omit<JournalRequest, 'state' | 'refusal'>;

/** Records a request; one whose transactions are made comes with its result. */
export function recordRequest(
  state: State,
  request: OutgoingRequest,
  clock: Clock,
  made: object | null = null,
): AskedRequest {
  const params = canonicalJson(request.params);
  const { caller, isAutomatic, method, requestId } = request;
  const limits = caller?.limits ?? null;
  const entry = {
    ...{ requestId, method, params, isAutomatic, createdAtMillis: clock.now() },
    caller: isAutomatic ? 'automatic' : (caller?.name ?? null),
    budget: limits === null ? null : formatBudget(limits),
  };
  const result = made === null ? null : JSON.stringify(made);
  const id = state.journal.addRequest(entry, result === null ? 'accepted' : 'built', result);
  return { ...entry, id, result };
}

/**
 * Records transactions, and returns their rows; those that are sent right after the commit with their first attempt.
 * Throws `day_limit` if the budget of the request has too little left.
 */
export function recordTransactions(
  state: State,
  asked: AskedRequest,
  transactions: readonly MadeTransaction[],
  builder: Pick<PaymentBuilder, 'changeAddresses'>,
  clock: Clock,
  areSentNext = false,
): number[] {
  const { budget, id: request } = asked;
  if (budget !== null) chargeBudget(state, parseBudget(budget), transactions, clock.now());
  state.addresses.issueChange(builder.changeAddresses, clock.now());
  return transactions.map(({ kind, built, amount, recipients, replaces }) => {
    const made = {
      request,
      kind,
      transactionId: built.transactionId,
      wire: built.wire,
      validUntil: built.validUntil,
      amount,
      fee: built.plan.fee,
      recipients: JSON.stringify(recipients),
      createdAtMillis: clock.now(),
      ...(replaces === undefined ? {} : { replaces }),
    };
    const id = state.journal.addTransaction(made, areSentNext);
    if (replaces === undefined) {
      const { coins } = built.plan;
      state.outputs.reserve(
        coins.map((coin) => coin.id),
        id,
      );
    }
    auditTransaction(state, made, { event: 'made' }, asked);
    return id;
  });
}

/** One text for equal parameters, whatever the order of their fields. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(inOrder(value));
}

function inOrder(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, inner]) => [name, inOrder(inner)]));
}

export function auditTransaction(
  state: Pick<State, 'auditOutbox' | 'journal'>,
  transaction: Omit<NewTransaction, 'wire'>,
  happened: Pick<AuditEntry, 'event' | 'height' | 'refusal'>,
  {
    caller,
    method,
    requestId,
  }: Pick<JournalRequest, 'caller' | 'method' | 'requestId'> = state.journal.request(
    transaction.request,
  ),
): void {
  const { event, height, refusal } = happened;
  const about: Omit<AuditEntry, 'recipients' | 'height' | 'refusal'> = {
    event,
    caller,
    request_id: requestId,
    method,
    transaction: transaction.transactionId,
    kind: transaction.kind,
    amount: coinsOf(transaction.amount),
    fee: coinsOf(transaction.fee),
  };
  const end: Pick<AuditEntry, 'height' | 'refusal'> = {
    ...(height === undefined ? {} : { height }),
    ...(refusal === undefined ? {} : { refusal }),
  };
  // The recipients are JSON already, and stand between these.
  state.auditOutbox.add(
    joinFields(
      JSON.stringify(about),
      `{"recipients":${transaction.recipients}}`,
      JSON.stringify(end),
    ),
  );
}

/** Records that the key of this device has signed a payment of a shared wallet, before the signature leaves. */
export function auditSignature(
  { auditOutbox }: { readonly auditOutbox: Pick<AuditOutbox, 'add'> },
  signed: Omit<AuditEntry, 'event' | 'height' | 'refusal'> & { readonly digest: string },
): void {
  const entry: AuditEntry = { event: 'signed', ...signed };
  auditOutbox.add(JSON.stringify(entry));
}

/** One JSON object with the fields of several, in their order. */
function joinFields(...objects: readonly string[]): string {
  const fields = objects.map((text) => text.slice(1, -1)).filter((text) => text !== '');
  return `{${fields.join(',')}}`;
}
