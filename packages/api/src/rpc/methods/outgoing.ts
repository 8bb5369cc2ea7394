/**
 * Methods that pay. Each is carried out once for a `request_id`.
 */
import { Type } from 'typebox';
import { Millis } from '../../base/scalars.ts';
import {
  ADDRESS,
  ID,
  Outcome,
  Recipient,
  SENT_EXAMPLE,
  SENT_FIELDS,
  SEVERAL_FIELDS,
} from '../documents.ts';
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
  PayloadTextIn,
  params,
  RequestId,
} from '../scalars.ts';

const define = methodsOf('outgoing');

export const RECIPIENTS_MAX = 7;

const SPEND_ERRORS = [
  'insufficient_funds',
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

/** Refusals of tokens that may spend within limits. */
const LIMIT_ERRORS = ['payment_limit', 'day_limit', 'not_allowlisted'] as const;

const PAY_ERRORS = [
  ...SPEND_ERRORS,
  ...LIMIT_ERRORS,
  'too_many_inputs',
  'amount_below_fee',
  'burn_address',
  'change_address',
] as const;

export const VALID_CUTS_MIN = 10;
export const VALID_CUTS_MAX = 34_560;

export const ValidCuts = Type.Integer({
  minimum: VALID_CUTS_MIN,
  maximum: VALID_CUTS_MAX,
  description:
    'After so many cuts the payment can no longer be executed: 1,440 unless given, an hour on mainnet, and at most what the chain allows, a day.',
});

const PAY_OPTIONS = {
  compound_first: Type.Optional(
    Type.Boolean({ description: 'Merges the outputs that the payment needs, then pays.' }),
  ),
  subtract_fee: Type.Optional(
    Type.Boolean({ description: 'Takes the fee out of the amount, in equal shares of several.' }),
  ),
  fee_per_mass: Type.Optional(FeePerMassIn),
  valid_cuts: Type.Optional(ValidCuts),
  dry_run: DryRun,
};

const PAY_RESULT = {
  ...SENT_FIELDS,
  merges: Type.Optional(
    Type.Object(
      {
        transactions: Type.Integer({ minimum: 1 }),
        outputs: Type.Integer({ minimum: 2, description: 'Outputs that they spend.' }),
        fee: described(Coins, 'Their fees together, in coins; they come on top of `fee`.'),
      },
      {
        description:
          'Of a dry run with `compound_first`: the merges that would come before the payment. `fee` is then the most that the payment itself takes, and its id is another one in the end.',
      },
    ),
  ),
};

const send = define({
  name: 'send',
  summary: 'Pays an address.',
  params: params({
    to: Address,
    amount: CoinsIn,
    request_id: RequestId,
    payload_text: Type.Optional(PayloadTextIn),
    ...PAY_OPTIONS,
  }),
  result: Type.Object({
    kind: Type.Literal('payment'),
    to: Address,
    amount: Coins,
    ...PAY_RESULT,
  }),
  errors: PAY_ERRORS,
  example: {
    params: { to: ADDRESS, amount: '1.25', request_id: 'withdrawal-1042' },
    result: { kind: 'payment', to: ADDRESS, amount: '1.25000000', ...SENT_EXAMPLE },
  },
});

const sendMany = define({
  name: 'send_many',
  summary: `Pays up to ${RECIPIENTS_MAX} addresses in one transaction.`,
  params: params({
    recipients: Type.Array(
      params({ to: Address, amount: CoinsIn, payload_text: Type.Optional(PayloadTextIn) }),
      { minItems: 1, maxItems: RECIPIENTS_MAX },
    ),
    request_id: RequestId,
    ...PAY_OPTIONS,
  }),
  result: Type.Object({
    kind: Type.Literal('payment'),
    recipients: Type.Array(Recipient),
    amount: described(Coins, 'What all recipients get together, in coins.'),
    ...PAY_RESULT,
  }),
  errors: PAY_ERRORS,
  example: {
    params: {
      recipients: [
        { to: ADDRESS, amount: '1.25' },
        { to: ADDRESS, amount: '0.5' },
      ],
      request_id: 'payroll-7',
    },
    result: {
      kind: 'payment',
      recipients: [
        { to: ADDRESS, amount: '1.25000000' },
        { to: ADDRESS, amount: '0.50000000' },
      ],
      amount: '1.75000000',
      ...SENT_EXAMPLE,
    },
  },
});

const sweep = define({
  name: 'sweep',
  summary: 'Sends everything, or everything at one address of the wallet, to an address.',
  params: params({
    to: Address,
    request_id: RequestId,
    address: Type.Optional(Address),
    leave_float: Type.Optional(
      Type.Boolean({
        description:
          'Leaves the outputs of `--float`, and change that is smaller than one of them.',
      }),
    ),
    dry_run: DryRun,
  }),
  result: Type.Object({
    kind: Type.Literal('sweep'),
    to: Address,
    ...SEVERAL_FIELDS,
    more: Type.Boolean({ description: 'Outputs are left: call again under a new name.' }),
  }),
  errors: [
    ...SPEND_ERRORS,
    ...LIMIT_ERRORS,
    'nothing_to_do',
    'unknown_address',
    'burn_address',
    'change_address',
  ],
  example: {
    params: { to: ADDRESS, request_id: 'to-cold-3' },
    result: {
      kind: 'sweep',
      to: ADDRESS,
      amount: '12.40000000',
      ...SENT_EXAMPLE,
      transactions: [ID],
      outputs: 5,
      more: false,
    },
  },
});

const burn = define({
  name: 'burn',
  summary: 'Destroys coins for good: they leave the supply.',
  params: params({
    amount: CoinsIn,
    request_id: RequestId,
    fee_per_mass: Type.Optional(FeePerMassIn),
    dry_run: DryRun,
  }),
  result: Type.Object({ kind: Type.Literal('burn'), amount: Coins, ...SENT_FIELDS }),
  errors: [...SPEND_ERRORS, 'too_many_inputs'],
  example: {
    params: { amount: '0.01', request_id: 'burn-1' },
    result: { kind: 'burn', amount: '0.01000000', ...SENT_EXAMPLE },
  },
});

const compound = define({
  name: 'compound',
  summary: 'Merges outputs of the wallet, or of one address, so that later payments need fewer.',
  params: params({
    address: Type.Optional(Address),
    request_id: Type.Optional(RequestId),
    dry_run: DryRun,
  }),
  result: Type.Object({ kind: Type.Literal('compound'), ...SEVERAL_FIELDS }),
  errors: [...SPEND_ERRORS, 'day_limit', 'nothing_to_do', 'unknown_address'],
  example: {
    params: { request_id: 'tidy-12' },
    result: {
      kind: 'compound',
      amount: '12.40000000',
      ...SENT_EXAMPLE,
      transactions: [ID],
      outputs: 8,
    },
  },
});

export const FLOAT_COINS_MAX = 10_000;

const split = define({
  name: 'split',
  summary:
    'Splits outputs until the wallet has so many that can each pay an amount: as many payments can then be made at once.',
  params: params({
    count: Type.Integer({ minimum: 1, maximum: FLOAT_COINS_MAX, description: 'Outputs wanted.' }),
    amount: described(CoinsIn, 'What each of them can pay beside the fee, in coins.'),
    request_id: Type.Optional(RequestId),
    dry_run: DryRun,
  }),
  result: Type.Object({
    kind: Type.Literal('split'),
    ...SEVERAL_FIELDS,
    missing: Type.Integer({
      minimum: 0,
      description:
        'Outputs that are wanted and not made by these transactions: call again once they are final.',
    }),
  }),
  extension: true,
  errors: [...SPEND_ERRORS, 'day_limit', 'nothing_to_do'],
  example: {
    params: { count: 100, amount: '50', request_id: 'float-3' },
    result: {
      kind: 'split',
      amount: '9000.00000000',
      ...SENT_EXAMPLE,
      transactions: [ID],
      outputs: 1,
      missing: 92,
    },
  },
});

const cancel = define({
  name: 'cancel',
  summary:
    'Gives a waiting payment up by paying its coins back to the wallet at a better fee. Either the payment is executed or the cancellation, never both.',
  params: params({
    payment: described(RequestId, 'The `request_id` of the payment.'),
    request_id: RequestId,
    fee_per_mass: Type.Optional(FeePerMassIn),
    dry_run: DryRun,
  }),
  result: Type.Object({
    kind: Type.Literal('cancel'),
    payment: described(Type.String(), 'The `request_id` of the payment.'),
    payment_transaction: Identifier,
    amount: described(Coins, 'What comes back to the wallet, in coins.'),
    ...SENT_FIELDS,
    outcome: Type.Optional(
      described(
        Outcome,
        '`finalized`: the payment is cancelled; `conflict`: it was paid, or another spent its coins; `expired`: neither of both was executed.',
      ),
    ),
  }),
  extension: true,
  errors: [...SPEND_ERRORS, 'day_limit', 'other_budget', 'unknown_request', 'not_cancellable'],
  example: {
    params: { payment: 'withdrawal-1042', request_id: 'cancel-1042' },
    result: {
      kind: 'cancel',
      payment: 'withdrawal-1042',
      payment_transaction: ID,
      amount: '98.74812410',
      ...SENT_EXAMPLE,
      fee: '0.00187590',
      fee_per_mass: '21',
    },
  },
});

const OptionalOutcome = Type.Union([Outcome, Type.Null()]);

const request = define({
  name: 'request',
  summary:
    'What became of a request that pays, by the name its caller gave it. Looking changes nothing and sends nothing.',
  params: params({
    request_id: described(RequestId, 'The name that the payment was asked for with.'),
  }),
  result: Type.Object({
    request_id: Type.String(),
    method: Type.String(),
    state: Type.Union([Type.Literal('making'), Type.Literal('made'), Type.Literal('refused')], {
      description:
        '`making`: being carried out now, unless it is `held`; `made`: its transactions are recorded; `refused`: outputs were merged for it, and it came to nothing.',
    }),
    held: Type.Optional(
      Type.Literal(true, {
        description:
          'A restored backup tells of it without its end, or its token was revoked before it was made: it goes on when the call is repeated, with a token of the same budget or one that allows everything.',
      }),
    ),
    outcome: described(OptionalOutcome, 'Null while a transaction of it is open.'),
    cancelled_by: Type.Union([Type.String(), Type.Null()], {
      description:
        'The `request_id` of the newest cancellation that the node did not refuse; the outcomes of both say which of them was executed.',
    }),
    result: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
      description: 'What the first call was answered, without `submitted` and `duplicate`.',
    }),
    refusal: Type.Union([
      Type.Object({ kind: Type.String(), message: Type.String() }),
      Type.Null(),
    ]),
    transactions: Type.Array(
      Type.Object({
        transaction: Identifier,
        kind: Type.String(),
        state: Type.String(),
        outcome: OptionalOutcome,
        amount: Coins,
        fee: Coins,
        height: Type.Union([Height, Type.Null()]),
        valid_until_height: Height,
      }),
    ),
    created_at_millis: Type.Union([Millis, Type.Null()]),
    indexed_height: described(Height, 'The outcomes are those up to here.'),
  }),
  extension: true,
  errors: ['unknown_request'],
  example: {
    params: { request_id: 'withdrawal-1042' },
    result: {
      request_id: 'withdrawal-1042',
      method: 'send',
      state: 'made',
      outcome: 'finalized',
      cancelled_by: null,
      result: {
        kind: 'payment',
        to: ADDRESS,
        amount: '1.25000000',
        fee: '0.00095640',
        fee_per_mass: '10',
        transaction: ID,
      },
      refusal: null,
      transactions: [
        {
          transaction: ID,
          kind: 'payment',
          state: 'final',
          outcome: 'finalized',
          amount: '1.25000000',
          fee: '0.00095640',
          height: 5120,
          valid_until_height: 6560,
        },
      ],
      created_at_millis: 1794721399052,
      indexed_height: 5122,
    },
  },
});

export const OUTGOING_METHODS = {
  request,
  send,
  send_many: sendMany,
  sweep,
  burn,
  compound,
  split,
  cancel,
} as const;
