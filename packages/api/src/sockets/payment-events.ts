/**
 * Events about addresses and waiting transactions. A waiting payment is what this server has seen; it is never part
 * of a balance.
 */
import { type Static, Type } from 'typebox';
import { Address, Atoms, Count, Height, Identifier } from '../base/scalars.ts';
import { Outpoint, OutputSource } from '../documents/references.ts';
import { PendingTransaction } from '../routes/mempool-pending.ts';

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
export type RemovedTransaction = Static<typeof RemovedTransaction>;

/** A block that this node has checked and keeps until a cut registers it. */
export const BlockAccepted = Type.Object({
  block_id: Identifier,
  parents: Type.Array(Identifier),
  transactions: Type.Array(Identifier),
  reward_address: Address,
  miner_tag: Type.String({ description: 'Written by the miner; up to 20 characters.' }),
});
export type BlockAccepted = Static<typeof BlockAccepted>;
