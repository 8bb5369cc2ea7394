/**
 * The method about a period as a whole: what came, what went, and the balances that it is between.
 */
import { Type } from 'typebox';
import { Millis } from '../../base/scalars.ts';
import { ID } from '../documents.ts';
import { methodsOf } from '../method.ts';
import { Coins, described, Height, Identifier, params } from '../scalars.ts';

const define = methodsOf('incoming');

export const STATEMENT_MAX = 10_000;

const SignedCoins = Type.String({
  pattern: '^-?(0|[1-9][0-9]{0,8})\\.[0-9]{8}$',
  description: 'Coins with 8 decimals, negative where more went than came.',
});
const OptionalText = Type.Union([Type.String(), Type.Null()]);

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

export const STATEMENT_METHODS = { statement } as const;
