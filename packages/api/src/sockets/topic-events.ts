/**
 * The topics of `/v1/ws` and the events that each gives.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { MempoolDocument } from '../documents/mempool.ts';
import { SyncDocument } from '../documents/node.ts';
import { TransactionStatus } from '../documents/transaction-status.ts';
import { RatesDocument } from '../mining/rates.ts';
import { PendingTransaction } from '../routes/mempool-pending.ts';
import type { TopicName } from './client-frames.ts';
import { CutEvent } from './cut-events.ts';
import { AddressChanged, BlockAccepted, RemovedTransaction } from './payment-events.ts';

function event<const T extends string, D extends TSchema>(type: T, data: D) {
  return Type.Object({ type: Type.Literal(type), data });
}

export const TopicEvent = Type.Union([
  event('cut_finalized', CutEvent),
  event('block_accepted', BlockAccepted),
  event('mempool', MempoolDocument),
  event('rates', RatesDocument),
  event('sync', SyncDocument),
  event('transaction_status', TransactionStatus),
  event('address_changed', AddressChanged),
  event('mempool_tx_seen', PendingTransaction),
  event('mempool_tx_removed', RemovedTransaction),
  event('mempool_transaction', PendingTransaction),
  event('mempool_transaction_removed', RemovedTransaction),
]);
export type TopicEvent = Static<typeof TopicEvent>;
export type TopicEventType = TopicEvent['type'];

export const TOPIC_EVENTS = {
  cuts: ['cut_finalized'],
  blocks: ['block_accepted'],
  mempool: ['mempool'],
  rates: ['rates'],
  sync: ['sync'],
  transaction: ['transaction_status'],
  addresses: ['address_changed', 'mempool_tx_seen', 'mempool_tx_removed'],
  mempool_transactions: ['mempool_transaction', 'mempool_transaction_removed'],
} as const satisfies Readonly<Record<TopicName, readonly TopicEventType[]>>;
