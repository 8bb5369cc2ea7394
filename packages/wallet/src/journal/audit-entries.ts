/**
 * What the audit is told of a transaction and of a signature, within the commit that makes it true.
 */
import { formatAmount } from 'svc-wasm';
import type { AuditEntry, AuditOutbox } from '../state/audit-outbox.ts';
import type { JournalRequest, NewTransaction } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';

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
    amount: formatAmount(String(transaction.amount)),
    fee: formatAmount(String(transaction.fee)),
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

/** Tells that the key of this device has signed a payment of a shared wallet, before the signature leaves. */
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
