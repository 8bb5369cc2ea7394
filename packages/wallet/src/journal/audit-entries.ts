/**
 * What the audit is told of a transaction, within the commit that makes it true.
 */
import { formatAmount } from 'svc-wasm';
import type { AuditEntry } from '../state/audit-outbox.ts';
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
  state.auditOutbox.add({
    event: happened.event,
    caller,
    request_id: requestId,
    method,
    transaction: transaction.transactionId,
    kind: transaction.kind,
    amount: formatAmount(String(transaction.amount)),
    fee: formatAmount(String(transaction.fee)),
    recipients: JSON.parse(transaction.recipients) as unknown,
    ...(happened.height === undefined ? {} : { height: happened.height }),
    ...(happened.refusal === undefined ? {} : { refusal: happened.refusal }),
  });
}
