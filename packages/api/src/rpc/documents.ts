/**
 * Documents that several methods and events share.
 */
import { type Static, Type } from 'typebox';
import { OutputSource } from '../base/references.ts';
import { Millis, OutputIndex } from '../base/scalars.ts';
import {
  Address,
  Coins,
  Confirmations,
  described,
  FeePerMass,
  Height,
  Identifier,
} from './scalars.ts';

const OptionalLabel = Type.Union([Type.String(), Type.Null()]);

/** A finalized payment; key a ledger by `transaction` and `output`. */
export const ReceivedPayment = Type.Object({
  transaction: Identifier,
  output: OutputIndex,
  address: Address,
  label: OptionalLabel,
  amount: Coins,
  source: OutputSource,
  height: Height,
  confirmations: Confirmations,
  payload_text: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: 'Written by the sender: escape it in HTML, pass it to SQL as a parameter only.',
    }),
  ),
  payload_hex: Type.Optional(
    Type.String({ description: 'Bytes from the sender that are no text.' }),
  ),
  senders: Type.Union([Type.Array(Address), Type.Null()], {
    description:
      'The addresses that signed the transaction, after their signatures were checked. Empty where that is not possible.',
  }),
  senders_unknown: Type.Optional(
    Type.Union(
      [
        Type.Literal('not_kept'),
        Type.Literal('previous_outputs_unknown'),
        Type.Literal('not_verified'),
      ],
      {
        description:
          'Why `senders` is empty: the node does not keep the transaction, does not say what it spent, or its signatures do not hold.',
      },
    ),
  ),
  messenger: Type.Optional(
    Type.Literal(true, { description: 'A message of the messenger: one atom, no deposit.' }),
  ),
});
export type ReceivedPayment = Static<typeof ReceivedPayment>;

/** A payment that waits in the mempool: show it, never credit it. */
export const WaitingPayment = Type.Object({
  transaction: Identifier,
  output: OutputIndex,
  address: Address,
  label: OptionalLabel,
  amount: Coins,
  first_seen_millis: Millis,
});
export type WaitingPayment = Static<typeof WaitingPayment>;

/** What a wallet that cannot cover a call has and waits for. */
export const Funds = Type.Object({
  available: described(Coins, 'Coins that can be spent now.'),
  missing: described(Coins, 'Coins that lack for the call beside those, its fee included.'),
  change: described(Coins, 'Coins that come back with transactions that are not final yet.'),
  incoming: described(Coins, 'Payments to this wallet that wait in the mempool.'),
  refused: described(
    Coins,
    'Coins that transactions hold which the node refused, until they expire.',
  ),
  proposed: Type.Optional(
    described(
      Coins,
      'Coins that proposals of a shared wallet hold until they are paid or expire; absent where there are none.',
    ),
  ),
  repeat_after: Type.Union(
    [
      Type.Object({
        event: Type.Union([Type.Literal('settled'), Type.Literal('finalized')]),
        height: Type.Union([Height, Type.Null()]),
      }),
      Type.Null(),
    ],
    {
      description:
        'The event after which what is waiting covers the call, and the height which it comes after, where that is known. Null: more coins are needed.',
    },
  ),
});
export type Funds = Static<typeof Funds>;

export const RetryAfterMillis = Type.Integer({
  minimum: 1,
  description: 'When to repeat the call, unless an answer to an earlier one comes before.',
});

export const Recipient = Type.Object({ to: Address, amount: Coins });

export const Outcome = Type.Union([
  Type.Literal('finalized'),
  Type.Literal('conflict'),
  Type.Literal('expired'),
]);

/** Fields of every result that moved money. */
export const SENT_FIELDS = {
  fee: Coins,
  fee_per_mass: FeePerMass,
  transaction: Identifier,
  submitted: Type.Boolean({
    description:
      'The node has the transaction. False also where the node has asked to wait for ten seconds: the payment is recorded, and the daemon goes on sending it until its validity ends.',
  }),
  duplicate: Type.Boolean({
    description: 'True only when the call repeats an earlier `request_id`: nothing was paid again.',
  }),
  mismatch: Type.Optional(
    Type.Literal(true, { description: 'The repeat had other parameters than the first call.' }),
  ),
  outcome: Type.Optional(Outcome),
  dry_run: Type.Optional(
    Type.Literal(true, { description: 'Nothing was signed, recorded or sent.' }),
  ),
};

export const SEVERAL_FIELDS = {
  ...SENT_FIELDS,
  amount: Coins,
  transactions: Type.Array(Identifier),
  outputs: Type.Integer({ minimum: 0, description: 'Outputs that were spent.' }),
};

export const ID = 'ab'.repeat(48);
export const ADDRESS =
  'dsvc1qx38xjcs9jqysltpznr6yse0sl4jrjxwq87ljm635n54gez9hnwejklh3vmalaea352fprr35jdrjuaryzem';

export const SENT_EXAMPLE = {
  fee: '0.00095640',
  fee_per_mass: '10',
  transaction: ID,
  submitted: true,
  duplicate: false,
} as const;

export const PAYMENT_EXAMPLE = {
  transaction: ID,
  output: 0,
  address: ADDRESS,
  label: 'customer 17',
  amount: '1.25000000',
  source: 'regular',
  height: 5120,
  confirmations: 3,
  payload_text: 'invoice 7',
  senders: [ADDRESS],
} as const;
