/**
 * Events of the sockets, and the topics of `/v1/ws` that give them.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { CutReference, Outpoint, OutputSource } from '../base/references.ts';
import {
  Address,
  ApiVersion,
  ATOMS_PATTERN,
  Atoms,
  Count,
  Height,
  Identifier,
  Millis,
  OutputIndex,
} from '../base/scalars.ts';
import { RatesDocument } from '../mining.ts';
import { OutputAmount, RewardAmount } from '../routes/blocks.ts';
import { MempoolDocument, PendingTransaction } from '../routes/mempool.ts';
import { SyncDocument } from '../routes/node.ts';
import { TransactionStatus, type TransactionStatusEntry } from '../routes/transactions.ts';
import type { TopicName } from './client-frames.ts';

/** A work reward that was paid; one output may pay several blocks of an address. */
export const CutReward = Type.Object({
  block_id: Identifier,
  transaction_id: Identifier,
  output_index: OutputIndex,
  amount: RewardAmount,
  output_amount: OutputAmount,
});
export type CutReward = Static<typeof CutReward>;

export const CutStakePayout = Type.Object({
  position: Identifier,
  validator: Identifier,
  epoch: Count,
  address: Address,
  transaction_id: Identifier,
  output_index: OutputIndex,
  amount: Atoms,
});
export type CutStakePayout = Static<typeof CutStakePayout>;

const StakeRewards = Type.String({
  pattern: ATOMS_PATTERN,
  description: 'The sum of the stake payouts, in atoms.',
});

/** The first event of `/v1/events`: the finalized head when the client connected. */
export const Checkpoint = Type.Object({ api_version: ApiVersion, cut: CutReference });
export type Checkpoint = Static<typeof Checkpoint>;

/** A finalized cut as `/v1/events` reports it. */
export const CutFinalized = Type.Object({
  api_version: ApiVersion,
  cut: CutReference,
  registered_work: Type.Integer({ minimum: 0, description: 'Blocks that the cut registered.' }),
  executed_work: Type.Integer({ minimum: 0, description: 'Blocks that the cut executed.' }),
  rewards: Type.Array(CutReward),
  stake_rewards: StakeRewards,
  stake_payouts: Type.Array(CutStakePayout),
});
export type CutFinalized = Static<typeof CutFinalized>;

/** A finalized cut as the topic `cuts` reports it. */
export const CutEvent = Type.Object({
  cut: CutReference,
  registered_blocks: Type.Integer({ minimum: 0, description: 'Blocks that the cut registered.' }),
  executed_blocks: Type.Integer({ minimum: 0, description: 'Blocks that the cut executed.' }),
  rewards: Type.Array(CutReward),
  stake_rewards: StakeRewards,
  finalized_at_millis: Millis,
});
export type CutEvent = Static<typeof CutEvent>;

export const ChangedOutput = Type.Object({
  outpoint: Outpoint,
  amount: Atoms,
  source: OutputSource,
  transaction_id: Identifier,
});
export type ChangedOutput = Static<typeof ChangedOutput>;

/** The event of one address that a cut changed. */
export const AddressChanged = Type.Object({
  address: Address,
  finalized_height: Height,
  received: Type.Array(ChangedOutput),
  spent: Type.Array(ChangedOutput),
  balance: Atoms,
  utxos: Count,
});
export type AddressChanged = Static<typeof AddressChanged>;

export const RemovalReason = Type.Union([
  Type.Literal('finalized'),
  Type.Literal('expired'),
  Type.Literal('evicted'),
  Type.Literal('conflict'),
  Type.Literal('rejected'),
  Type.Literal('unknown'),
]);
export type RemovalReason = Static<typeof RemovalReason>;

export const RemovedTransaction = Type.Object({
  ...PendingTransaction.properties,
  reason: RemovalReason,
});

/** A block that this node has checked and keeps until a cut registers it. */
export const BlockAccepted = Type.Object({
  block_id: Identifier,
  parents: Type.Array(Identifier),
  transactions: Type.Array(Identifier),
  reward_address: Address,
  miner_tag: Type.String({ description: 'Written by the miner; up to 20 characters.' }),
});
export type BlockAccepted = Static<typeof BlockAccepted>;

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

export function isFinalStatus(status: TransactionStatusEntry): boolean {
  if (status.lifecycle === 'finalized') return true;
  const { lifecycle, failure, finalized_cut } = status;
  const settled = failure === 'conflict' || failure === 'expired';
  return lifecycle === 'failed' && settled && finalized_cut !== null;
}
