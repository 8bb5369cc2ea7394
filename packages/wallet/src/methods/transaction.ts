/** `transaction`: one of the wallet's own, or one that pays it. */
import type { MethodResult } from 'svc-api/rpc';
import { WalletError } from '../base/wallet-error.ts';
import { paymentDocument } from '../scan/payment-document.ts';
import type { JournalTransaction } from '../state/journal.ts';
import type { Wallet } from '../wallet.ts';
import type { Handler } from './handler.ts';
import { coinsOf } from './values.ts';

type Result = MethodResult<'transaction'>;

export const transaction: Handler<'transaction'> = (wallet, { transaction: id }) => {
  const { scanner, state } = wallet;
  const indexed = scanner.indexedHeight;
  const received = state.outputs.ofTransaction(id).filter(({ branch }) => branch === 0);
  const waiting = wallet.incoming.list().filter((payment) => payment.transaction === id);
  const own = state.journal.findTransaction(id);
  if (own === undefined && received.length === 0 && waiting.length === 0) {
    throw new WalletError('unknown_transaction', 'the transaction does not concern this wallet', {
      path: 'transaction',
    });
  }
  const height = own?.finalHeight ?? received[0]?.height ?? null;
  return {
    transaction: id,
    ...(own === undefined ? foreign(received.length > 0) : ofOwn(wallet, own)),
    height,
    confirmations: height === null ? 0 : Math.max(1, indexed - height + 1),
    received: received.map((output) => paymentDocument(output, indexed)),
    waiting: waiting.map(({ atoms: _, ...payment }) => payment),
  };
};

type OwnFields = Omit<Result, 'transaction' | 'height' | 'confirmations' | 'received' | 'waiting'>;

function ofOwn({ state }: Wallet, own: JournalTransaction): OwnFields {
  return {
    state: own.state,
    outcome: own.outcome,
    request_id: state.journal.request(own.request).requestId,
    kind: own.kind,
    amount: coinsOf(own.amount),
    fee: coinsOf(own.fee),
    recipients: JSON.parse(own.recipients) as unknown[],
    valid_until_height: own.validUntil,
    refusal: own.refusal === null ? null : (JSON.parse(own.refusal) as Result['refusal']),
    proof: own.proof === null ? null : (JSON.parse(own.proof) as unknown),
    created_at_millis: own.createdAtMillis,
  };
}

function foreign(isFinal: boolean): OwnFields {
  return {
    state: isFinal ? 'final' : 'waiting',
    outcome: isFinal ? 'finalized' : null,
    request_id: null,
    kind: null,
    amount: null,
    fee: null,
    recipients: [],
    valid_until_height: null,
    refusal: null,
    proof: null,
    created_at_millis: null,
  };
}
