/**
 * What several documents refer to: networks, cuts, outputs and their changes.
 */
import { type Static, Type } from 'typebox';
import { strict } from './request.ts';
import { Address, Atoms, Height, Identifier, OutputIndex } from './scalars.ts';

export const Outpoint = Type.Object({ transaction_id: Identifier, output_index: OutputIndex });
export type Outpoint = Static<typeof Outpoint>;

/** An outpoint as a client sends it. */
export const OutpointRequest = strict({ transaction_id: Identifier, output_index: OutputIndex });

export const CutReference = Type.Object({
  height: Height,
  cut_id: Identifier,
  state_root: Identifier,
  validator_set_id: Identifier,
});
export type CutReference = Static<typeof CutReference>;

export const OutputSource = Type.Union([
  Type.Literal('regular'),
  Type.Literal('work_reward'),
  Type.Literal('stake_reward'),
  Type.Literal('stake_return'),
  Type.Literal('genesis'),
]);

export const HistoryKind = Type.Union([Type.Literal('received'), Type.Literal('spent')]);

const HISTORY_FIELDS = {
  kind: HistoryKind,
  outpoint: Outpoint,
  amount: Atoms,
  source: OutputSource,
  transaction_id: Identifier,
};

export const HistoryEvent = Type.Object({ finalized_height: Height, ...HISTORY_FIELDS });
export type HistoryEvent = Static<typeof HistoryEvent>;

export const AddressChange = Type.Object({
  address: Address,
  finalized_height: Height,
  ...HISTORY_FIELDS,
});
export type AddressChange = Static<typeof AddressChange>;

/** One of the changes of a cut; `index` is its position. */
export const CutChange = Type.Object({
  index: Type.Integer({ minimum: 0 }),
  address: Address,
  ...HISTORY_FIELDS,
});
export type CutChange = Static<typeof CutChange>;

export const Utxo = Type.Object({
  outpoint: Outpoint,
  amount: Atoms,
  source: OutputSource,
  finalized_height: Height,
});
export type Utxo = Static<typeof Utxo>;

export const Network = Type.Union([
  Type.Literal('mainnet'),
  Type.Literal('testnet'),
  Type.Literal('testnet100'),
  Type.Literal('development'),
]);
