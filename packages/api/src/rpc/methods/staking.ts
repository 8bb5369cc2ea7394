/**
 * Methods about stake.
 */
import { Type } from 'typebox';
import { Count } from '../../base/scalars.ts';
import { ValidatorState } from '../../routes/staking.ts';
import { ADDRESS, ID, SENT_EXAMPLE, SENT_FIELDS } from '../documents.ts';
import { methodsOf } from '../method.ts';
import {
  Address,
  Coins,
  CoinsIn,
  DryRun,
  described,
  FeePerMassIn,
  Height,
  Identifier,
  NextCursor,
  params,
  RequestId,
} from '../scalars.ts';

const define = methodsOf('staking');

/** The least that a delegation holds. */
export const STAKE_COINS_MIN = 100;

const STAKE_ERRORS = [
  'insufficient_funds',
  'too_many_inputs',
  'fee_above_cap',
  'node_unreachable',
  'node_busy',
  'node_not_synced',
  'outcome_unknown',
  'wallet_busy',
  'rescanning',
  'wrong_chain',
  'node_refused',
] as const;

const MOVE_OPTIONS = {
  request_id: RequestId,
  fee_per_mass: Type.Optional(FeePerMassIn),
  dry_run: DryRun,
};

const validators = define({
  name: 'validators',
  summary: 'Validators by stake, the most first.',
  params: params({
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 256 })),
  }),
  result: Type.Object({
    epoch: Count,
    finalized_height: Height,
    validators: Type.Array(
      Type.Object({
        validator: Identifier,
        state: ValidatorState,
        committee: Type.Boolean(),
        stake: Coins,
        commission_bps: Count,
        own: Type.Boolean({ description: 'Whether this wallet owns a position of it.' }),
      }),
    ),
    next_cursor: NextCursor,
  }),
  errors: ['node_unreachable', 'node_busy', 'not_offered'],
  example: {
    params: { limit: 1 },
    result: {
      epoch: 42,
      finalized_height: 5122,
      validators: [
        {
          validator: ID,
          state: 'live',
          committee: true,
          stake: '100000.00000000',
          commission_bps: 500,
          own: false,
        },
      ],
    },
  },
});

const positions = define({
  name: 'positions',
  summary: 'Staking positions of the wallet.',
  params: params({}),
  result: Type.Object({
    positions: Type.Array(
      Type.Object({
        position: Identifier,
        kind: Type.Union([Type.Literal('self_bond'), Type.Literal('delegation')]),
        validator: Identifier,
        owner_address: Address,
        reward_address: Address,
        principal: described(Coins, 'Everything that is locked in it, in coins.'),
        bonded: described(Coins, 'What counts for the validator, in coins.'),
        unbonding: Type.Array(Type.Object({ amount: Coins, withdrawable_height: Height })),
        state: Type.String(),
      }),
    ),
  }),
  errors: ['node_unreachable', 'node_busy'],
  example: {
    params: {},
    result: {
      positions: [
        {
          position: ID,
          kind: 'delegation',
          validator: ID,
          owner_address: ADDRESS,
          reward_address: ADDRESS,
          principal: '500.00000000',
          bonded: '490.00000000',
          unbonding: [{ amount: '10.00000000', withdrawable_height: 350000 }],
          state: 'bonded',
        },
      ],
    },
  },
});

const stake = define({
  name: 'stake',
  summary: `Delegates coins to a validator, at least ${STAKE_COINS_MIN}.`,
  params: params({
    validator: Identifier,
    amount: CoinsIn,
    reward_address: Type.Optional(Address),
    ...MOVE_OPTIONS,
  }),
  result: Type.Object({
    kind: Type.Literal('stake'),
    validator: Identifier,
    owner_address: Address,
    reward_address: Address,
    amount: Coins,
    ...SENT_FIELDS,
  }),
  errors: STAKE_ERRORS,
  example: {
    params: { validator: ID, amount: '500', request_id: 'stake-1' },
    result: {
      kind: 'stake',
      validator: ID,
      owner_address: ADDRESS,
      reward_address: ADDRESS,
      amount: '500.00000000',
      ...SENT_EXAMPLE,
    },
  },
});

const unstake = define({
  name: 'unstake',
  summary: `Takes coins out of a position; they can be withdrawn ten intervals later. What stays is nothing or at least ${STAKE_COINS_MIN} coins.`,
  params: params({ position: Identifier, amount: Type.Optional(CoinsIn), ...MOVE_OPTIONS }),
  result: Type.Object({
    kind: Type.Literal('unstake'),
    position: Identifier,
    amount: Coins,
    ...SENT_FIELDS,
  }),
  errors: [...STAKE_ERRORS, 'unknown_position'],
  example: {
    params: { position: ID, amount: '10', request_id: 'unstake-1' },
    result: { kind: 'unstake', position: ID, amount: '10.00000000', ...SENT_EXAMPLE },
  },
});

const withdraw = define({
  name: 'withdraw',
  summary: 'Brings back everything of a position that has been unbonding long enough.',
  params: params({ position: Identifier, ...MOVE_OPTIONS }),
  result: Type.Object({
    kind: Type.Literal('withdraw'),
    position: Identifier,
    amount: Coins,
    ...SENT_FIELDS,
  }),
  errors: [...STAKE_ERRORS, 'unknown_position', 'nothing_to_do'],
  example: {
    params: { position: ID, request_id: 'withdraw-1' },
    result: { kind: 'withdraw', position: ID, amount: '10.00000000', ...SENT_EXAMPLE },
  },
});

export const STAKING_METHODS = {
  validators,
  positions,
  stake,
  unstake,
  withdraw,
} as const;
