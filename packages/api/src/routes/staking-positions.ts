/**
 * `POST /v1/staking/positions`.
 */
import { type Static, Type } from 'typebox';
import { ADDRESSES_MAX } from '../base/batch-limits.ts';
import { defineRoute } from '../base/route.ts';
import {
  Address,
  ApiVersion,
  Atoms,
  FinalizedHeight,
  Height,
  Identifier,
} from '../base/scalars.ts';
import { AddressesRequest } from './address-balances.ts';

export const StakingPosition = Type.Object({
  position: Identifier,
  kind: Type.Union([Type.Literal('self_bond'), Type.Literal('delegation')]),
  owner_address: Address,
  reward_address: Address,
  validator: Identifier,
  principal: Atoms,
  unbonding: Type.Array(Type.Object({ amount: Atoms, withdrawable_height: Height })),
  state: Type.Union(
    [
      Type.Literal('bonded'),
      Type.Literal('unbonding'),
      Type.Literal('withdrawable'),
      Type.Literal('closed'),
    ],
    {
      description:
        '`bonded` counts for the validator; `unbonding` waits; of `withdrawable` something can be withdrawn and nothing is bonded; `closed` holds nothing.',
    },
  ),
});
export type StakingPosition = Static<typeof StakingPosition>;

export const StakingPositions = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  positions: Type.Array(StakingPosition),
});
export type StakingPositions = Static<typeof StakingPositions>;

export const stakingPositions = defineRoute({
  name: 'stakingPositions',
  method: 'POST',
  path: '/v1/staking/positions',
  group: 'staking',
  summary: 'Staking positions that up to 64 addresses own.',
  body: AddressesRequest,
  answer: StakingPositions,
  media: 'application/json',
  batch: { field: 'addresses', maximum: ADDRESSES_MAX },
  weight: { base: 1, perItem: 0.2 },
  caching: 'no_store',
  extension: false,
  errors: ['bad_address', 'wrong_network', 'too_many_items'],
});
