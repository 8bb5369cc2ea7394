/**
 * Methods about what came in and what became of transactions.
 */
import { Type } from 'typebox';
import { OutputSource } from '../../base/references.ts';
import { Millis, OutputIndex } from '../../base/scalars.ts';
import {
  ADDRESS,
  ID,
  Outcome,
  PAYMENT_EXAMPLE,
  ReceivedPayment,
  WaitingPayment,
} from '../documents.ts';
import { methodsOf } from '../method.ts';
import {
  Address,
  Coins,
  Confirmations,
  Cursor,
  described,
  Height,
  Identifier,
  Limit,
  NextCursor,
  params,
} from '../scalars.ts';

const define = methodsOf('incoming');

const OptionalHeight = Type.Union([Height, Type.Null()]);
const OptionalText = Type.Union([Type.String(), Type.Null()]);

export const RECEIVED_MAX = 10_000;

const received = define({
  name: 'received',
  summary:
    'Every payment that became final after a height. Store the answered height and ask from there.',
  params: params({
    since_height: Height,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: RECEIVED_MAX,
        description: `Payments after which the answer ends, without \`cursor\` at a whole height; ${RECEIVED_MAX} unless given.`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        pattern: '^(0|[0-9]{1,16}-[0-9]{1,16}-[0-9]{1,16})$',
        description:
          '`0` begins above `since_height` and lets an answer end within a height, so that it never has more payments than `limit`; then the `next_cursor` of the answer before, with the same `since_height`.',
      }),
    ),
  }),
  result: Type.Object({
    indexed_height: Type.Integer({
      minimum: 0,
      description: 'The payments are complete up to here; the next `since_height`.',
    }),
    payments: Type.Array(ReceivedPayment),
    more: Type.Boolean({ description: 'Ask again at once: there are further payments.' }),
    next_cursor: Type.Optional(
      Type.String({
        description:
          'Goes on behind the last payment. Only for calls with `cursor`, absent where there is no more.',
      }),
    ),
  }),
  errors: [],
  example: {
    params: { since_height: 5000 },
    result: { indexed_height: 5122, payments: [PAYMENT_EXAMPLE], more: false },
  },
});

const incoming = define({
  name: 'incoming',
  summary: "Payments that wait in the node's mempool: show them, never credit them.",
  params: params({}),
  result: Type.Object({ payments: Type.Array(WaitingPayment) }),
  errors: [],
  example: {
    params: {},
    result: {
      payments: [
        {
          transaction: ID,
          output: 0,
          address: ADDRESS,
          label: 'customer 17',
          amount: '1.25000000',
          first_seen_millis: 1794721399052,
        },
      ],
    },
  },
});

const outputs = define({
  name: 'outputs',
  summary: 'Unspent outputs, oldest first.',
  params: params({
    address: Type.Optional(Address),
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Limit),
  }),
  result: Type.Object({
    outputs: Type.Array(
      Type.Object({
        transaction: Identifier,
        output: OutputIndex,
        address: Address,
        label: OptionalText,
        change: Type.Boolean(),
        amount: Coins,
        source: OutputSource,
        height: Height,
        confirmations: Confirmations,
        reserved: Type.Boolean({ description: 'Held by a transaction that is not final.' }),
      }),
    ),
    next_cursor: NextCursor,
  }),
  errors: ['unknown_address'],
  example: {
    params: { limit: 1 },
    result: {
      outputs: [
        {
          transaction: ID,
          output: 0,
          address: ADDRESS,
          label: null,
          change: false,
          amount: '1.25000000',
          source: 'regular',
          height: 5120,
          confirmations: 3,
          reserved: false,
        },
      ],
    },
  },
});

export const HistoryEntry = Type.Object({
  direction: Type.Union([Type.Literal('received'), Type.Literal('sent')]),
  height: Height,
  transaction: Identifier,
  amount: Coins,
  fee: Type.Optional(Coins),
  kind: Type.Optional(Type.String()),
  outcome: Type.Optional(Outcome),
  request_id: Type.Optional(Type.String()),
  recipients: Type.Optional(Type.Array(Type.Unknown())),
  output: Type.Optional(OutputIndex),
  address: Type.Optional(Address),
  label: Type.Optional(OptionalText),
  source: Type.Optional(OutputSource),
});

const history = define({
  name: 'history',
  summary: 'What came in and went out, finally, newest first.',
  params: params({
    cursor: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,16}-[rs]-[0-9]{1,16}$',
        description: 'The `next_cursor` of the page before; not together with `before_height`.',
      }),
    ),
    before_height: Type.Optional(Height),
    limit: Type.Optional(Limit),
  }),
  result: Type.Object({
    entries: Type.Array(HistoryEntry),
    next_cursor: NextCursor,
    next_before: Type.Optional(
      Type.Integer({
        description:
          'Goes on with older entries as `before_height`; absent on the last page, and where a height has more entries than the page: only `next_cursor` goes on there.',
      }),
    ),
  }),
  errors: [],
  example: {
    params: { limit: 1 },
    result: {
      entries: [
        {
          direction: 'sent',
          height: 5121,
          transaction: ID,
          amount: '1.25000000',
          fee: '0.00095640',
          kind: 'payment',
          outcome: 'finalized',
          request_id: 'withdrawal-1042',
          recipients: [{ to: ADDRESS, amount: '1.25000000' }],
        },
      ],
      next_cursor: '5121-s-1042',
      next_before: 5121,
    },
  },
});

const transaction = define({
  name: 'transaction',
  summary: 'One transaction that concerns the wallet, its own or one that paid it.',
  params: params({ transaction: Identifier }),
  result: Type.Object({
    transaction: Identifier,
    state: Type.Union(
      [
        Type.Literal('built'),
        Type.Literal('submitted'),
        Type.Literal('known'),
        Type.Literal('refused'),
        Type.Literal('waiting'),
        Type.Literal('final'),
      ],
      { description: '`waiting`: a payment to the wallet that is in the mempool.' },
    ),
    outcome: Type.Union([Outcome, Type.Null()]),
    height: OptionalHeight,
    confirmations: Type.Integer({ minimum: 0 }),
    request_id: OptionalText,
    kind: OptionalText,
    amount: Type.Union([Coins, Type.Null()]),
    fee: Type.Union([Coins, Type.Null()]),
    recipients: Type.Array(Type.Unknown()),
    received: Type.Array(ReceivedPayment),
    waiting: Type.Array(WaitingPayment),
    valid_until_height: OptionalHeight,
    refusal: Type.Union([
      Type.Object({ code: Type.String(), message: Type.String() }),
      Type.Null(),
    ]),
    proof: Type.Unknown({ description: 'For an expired transaction, why it is dead for good.' }),
    created_at_millis: Type.Union([Millis, Type.Null()]),
  }),
  errors: ['unknown_transaction'],
  example: {
    params: { transaction: ID },
    result: {
      transaction: ID,
      state: 'final',
      outcome: 'finalized',
      height: 5120,
      confirmations: 3,
      request_id: null,
      kind: null,
      amount: null,
      fee: null,
      recipients: [],
      received: [PAYMENT_EXAMPLE],
      waiting: [],
      valid_until_height: null,
      refusal: null,
      proof: null,
      created_at_millis: null,
    },
  },
});

export const STATEMENT_MAX = 10_000;

const SignedCoins = Type.String({
  pattern: '^-?(0|[1-9][0-9]{0,8})\\.[0-9]{8}$',
  description: 'Coins with 8 decimals, negative where more went than came.',
});

const statement = define({
  name: 'statement',
  summary:
    'Every final transaction of a period and the balances before and after it: the opening balance and all changes make the closing balance, to the atom.',
  params: params({
    from_height: Type.Optional(
      described(Height, 'The first height of the period; this or `from_millis` is required.'),
    ),
    from_millis: Type.Optional(
      described(Millis, 'The period begins with the first cut that was final then or later.'),
    ),
    to_height: Type.Optional(
      described(Height, 'The last height of the period; the newest that was read unless given.'),
    ),
    to_millis: Type.Optional(
      described(Millis, 'The period ends before this time; not together with `to_height`.'),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: STATEMENT_MAX,
        description: `Outputs that came or went after which the answer ends at a whole height; ${STATEMENT_MAX} unless given.`,
      }),
    ),
  }),
  result: Type.Object({
    from_height: Height,
    to_height: described(Height, 'Where the answer ends; the next one begins a height later.'),
    opening: described(Coins, 'Held before the first height, in coins.'),
    closing: described(Coins, 'Held after the last height, in coins.'),
    entries: Type.Array(
      Type.Object({
        height: Height,
        transaction: Identifier,
        received: described(Coins, 'What it paid to the wallet, change included, in coins.'),
        spent: described(Coins, 'What it took from the wallet, in coins.'),
        change: SignedCoins,
        balance: described(Coins, 'Held after it, in coins.'),
        kind: Type.Union([Type.String(), Type.Null()], {
          description: 'What the wallet made it for; null for transactions of others.',
        }),
        fee: Type.Union([Coins, Type.Null()], { description: 'Part of what was spent.' }),
        request_id: OptionalText,
        finalized_at_millis: Type.Union([Millis, Type.Null()], {
          description:
            'When the cut was final, as its validators signed it. Null where the wallet did not follow it: before it was restored or upgraded, or while it was off.',
        }),
      }),
    ),
    more: Type.Boolean({ description: 'The period goes on beyond this answer.' }),
  }),
  extension: true,
  errors: ['rescanning', 'wrong_chain'],
  example: {
    params: { from_height: 5001, to_height: 5100 },
    result: {
      from_height: 5001,
      to_height: 5100,
      opening: '1250.00000000',
      closing: '1248.74990000',
      entries: [
        {
          height: 5077,
          transaction: ID,
          received: '48.74990000',
          spent: '50.00000000',
          change: '-1.25010000',
          balance: '1248.74990000',
          kind: 'payment',
          fee: '0.00010000',
          request_id: 'withdrawal-1042',
          finalized_at_millis: 1794721399052,
        },
      ],
      more: false,
    },
  },
});

export const INCOMING_METHODS = {
  received,
  incoming,
  outputs,
  history,
  transaction,
  statement,
} as const;
