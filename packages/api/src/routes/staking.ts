/**
 * Validators and staking positions.
 */
import { type Static, Type } from 'typebox';
import { ADDRESSES_MAX, Cursor, IdParams, Limit, NextCursor, strict } from '../base/request.ts';
import { finalized, routesOf } from '../base/route.ts';
import { Address, Atoms, Count, Height, Identifier } from '../base/scalars.ts';
import { AddressesRequest } from './address.ts';

export const ValidatorState = Type.Union([
  Type.Literal('live'),
  Type.Literal('registered'),
  Type.Literal('lapsed'),
  Type.Literal('jailed'),
  Type.Literal('exited'),
  Type.Literal('removed'),
]);

export const Removal = Type.Object({
  height: Height,
  reason: Type.Literal('equivocation'),
  burned: Type.String({
    description: 'Atoms that the removal burned: of its own bond, and a tenth of each delegation.',
  }),
});
export type Removal = Static<typeof Removal>;

export const Attendance = Type.Object({
  epoch: Count,
  windows: Type.Array(Type.Boolean(), {
    description:
      'Whether the member was present in each of the twelve windows; those to come are false.',
  }),
  present: Count,
});
export type Attendance = Static<typeof Attendance>;

const VALIDATOR_FIELDS = {
  validator: Identifier,
  state: ValidatorState,
  committee: Type.Boolean({
    description: 'Whether it sits in the committee of the running epoch.',
  }),
  stake: Atoms,
  commission_bps: Count,
  pending_commission: Type.Union([
    Type.Object({ commission_bps: Count, from_epoch: Count }),
    Type.Null(),
  ]),
  heartbeat_epoch: Type.Union([Count, Type.Null()]),
  registered_epoch: Count,
  eligible_from_epoch: Count,
  jailed_until_epoch: Count,
  attendance: Type.Union([Attendance, Type.Null()]),
  removal: Type.Union([Removal, Type.Null()], {
    description: 'Null unless it was removed.',
  }),
};

export const ValidatorSummary = Type.Object(VALIDATOR_FIELDS);
export type ValidatorSummary = Static<typeof ValidatorSummary>;

export const ValidatorDetails = Type.Object({
  ...VALIDATOR_FIELDS,
  owner_address: Address,
  self_bond: Identifier,
  consensus_key: Type.String(),
  pending_key: Type.Union([
    Type.Object({ consensus_key: Type.String(), from_epoch: Count }),
    Type.Null(),
  ]),
  overlay_endpoint_hex: Type.String(),
  end_height: Type.Union([Height, Type.Null()]),
  history: Type.Array(Attendance, {
    description: 'Attendance of past epochs that this node has seen, newest first.',
  }),
});
export type ValidatorDetails = Static<typeof ValidatorDetails>;

const define = routesOf('staking');

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

export const StakingPositions = finalized({
  positions: Type.Array(StakingPosition),
});
export type StakingPositions = Static<typeof StakingPositions>;

export const stakingPositions = define({
  name: 'stakingPositions',
  method: 'POST',
  path: '/v1/staking/positions',
  summary: 'Staking positions that up to 64 addresses own.',
  body: AddressesRequest,
  answer: StakingPositions,
  batch: { field: 'addresses', maximum: ADDRESSES_MAX },
  weight: { base: 1, perItem: 0.2 },
  caching: 'no_store',
  errors: ['bad_address', 'wrong_network', 'too_many_items'],
});

export const StakingValidators = finalized({
  epoch: Count,
  validators: Type.Array(ValidatorSummary, { description: 'By stake, the most first.' }),
  next_cursor: NextCursor,
});
export type StakingValidators = Static<typeof StakingValidators>;

const STAKING_VALIDATORS_PAGE = { default: 100, maximum: 256 } as const;

export const stakingValidators = define({
  name: 'stakingValidators',
  method: 'GET',
  path: '/v1/staking/validators',
  summary: 'Validators by stake, with state and attendance in the running epoch.',
  query: strict({
    state: Type.Optional(
      Type.Union(ValidatorState.anyOf, {
        description:
          'Only validators of this state. Without it removed ones are left out, unless they sit in the committee of the running epoch.',
      }),
    ),
    cursor: Type.Optional(Cursor),
    limit: Limit(STAKING_VALIDATORS_PAGE),
  }),
  answer: StakingValidators,
  page: STAKING_VALIDATORS_PAGE,
  weight: { base: 5, perItem: 0.05 },
  caching: 'revalidate',
  extension: true,
  errors: ['bad_cursor'],
});

export const EPOCHS_MAX = 30;

export const StakingValidator = finalized({
  epoch: Count,
  validator: ValidatorDetails,
});
export type StakingValidator = Static<typeof StakingValidator>;

export const stakingValidator = define({
  name: 'stakingValidator',
  method: 'GET',
  path: '/v1/staking/validators/{id}',
  summary: 'One validator, with its attendance in past epochs.',
  params: IdParams,
  query: strict({
    epochs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: EPOCHS_MAX,
        description: `How many past epochs to show; 14 unless given, at most ${EPOCHS_MAX}.`,
      }),
    ),
  }),
  answer: StakingValidator,
  weight: { base: 3 },
  caching: 'revalidate',
  extension: true,
  errors: ['not_found'],
});
