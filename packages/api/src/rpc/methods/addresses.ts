/**
 * Methods about addresses.
 */
import { Type } from 'typebox';
import { Network } from '../../base/references.ts';
import { Millis } from '../../base/scalars.ts';
import { ADDRESS } from '../documents.ts';
import { methodsOf } from '../method.ts';
import {
  Address,
  Coins,
  CoinsIn,
  Cursor,
  described,
  Label,
  Limit,
  NextCursor,
  params,
  RequestId,
  Words,
} from '../scalars.ts';

const define = methodsOf('addresses');

const WORDS = 'river candle fossil umbrella trade pepper';
const Index = Type.Integer({ minimum: 0, description: 'Place in the order of derivation.' });
const OptionalLabel = Type.Union([Label, Type.Null()]);
const Uri = Type.String({ description: 'A payment URI for links and QR codes.' });

const newAddress = define({
  name: 'new_address',
  summary: 'Gives out an address that was never given out before: one for each customer.',
  params: params({
    label: Type.Optional(Label),
    request_id: Type.Optional(
      described(
        RequestId,
        "The caller's own name for the request, of the same characters as names of payments: a repeat is answered with the same address. Names of payments are apart.",
      ),
    ),
  }),
  result: Type.Object({
    address: Address,
    index: Index,
    label: OptionalLabel,
    words: Words,
    uri: Uri,
    duplicate: Type.Optional(
      Type.Boolean({ description: 'Whether the call repeats an earlier `request_id`.' }),
    ),
    mismatch: Type.Optional(
      Type.Literal(true, {
        description: 'The repeat asked for another label than the first call.',
      }),
    ),
    warning: Type.Optional(
      Type.String({
        description:
          'Most of the gap is used up by addresses that were never paid: a wallet restored from its words may soon not see all of them.',
      }),
    ),
  }),
  errors: ['rescanning', 'wrong_chain'],
  example: {
    params: { label: 'customer 17', request_id: 'customer-17' },
    result: {
      address: ADDRESS,
      index: 11,
      label: 'customer 17',
      words: WORDS,
      uri: `svc:${ADDRESS}`,
      duplicate: false,
    },
  },
});

const receive = define({
  name: 'receive',
  summary: 'The newest address that was not paid yet, as a payment request.',
  params: params({
    amount: Type.Optional(CoinsIn),
    label: Type.Optional(Type.String({ maxLength: 128, description: 'Who is paid; in the URI.' })),
    message: Type.Optional(Type.String({ maxLength: 512, description: 'What for; in the URI.' })),
  }),
  result: Type.Object({
    address: Address,
    index: Index,
    label: OptionalLabel,
    words: Words,
    uri: Uri,
  }),
  errors: ['rescanning', 'wrong_chain'],
  example: {
    params: { amount: '1.25', message: 'invoice 7' },
    result: {
      address: ADDRESS,
      index: 11,
      label: null,
      words: WORDS,
      uri: `svc:${ADDRESS}?amount=1.25&message=invoice%207`,
    },
  },
});

const addresses = define({
  name: 'addresses',
  summary: 'Addresses that were given out, oldest first.',
  params: params({
    label: Type.Optional(Label),
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Limit),
  }),
  result: Type.Object({
    addresses: Type.Array(
      Type.Object({
        address: Address,
        index: Index,
        label: OptionalLabel,
        balance: Coins,
        outputs: Type.Integer({ minimum: 0 }),
        used: Type.Boolean({ description: 'Whether the chain knows it.' }),
        issued_at_millis: Type.Union([Millis, Type.Null()]),
      }),
    ),
    next_cursor: NextCursor,
  }),
  errors: [],
  example: {
    params: { limit: 1 },
    result: {
      addresses: [
        {
          address: ADDRESS,
          index: 0,
          label: 'customer 17',
          balance: '1.25000000',
          outputs: 1,
          used: true,
          issued_at_millis: 1794721399052,
        },
      ],
      next_cursor: '1',
    },
  },
});

const setLabel = define({
  name: 'set_label',
  summary: 'Writes a label on an address of the wallet, or takes it off.',
  params: params({ address: Address, label: OptionalLabel }),
  result: Type.Object({ address: Address, label: OptionalLabel }),
  errors: ['unknown_address'],
  example: {
    params: { address: ADDRESS, label: 'customer 18' },
    result: { address: ADDRESS, label: 'customer 18' },
  },
});

const validateAddress = define({
  name: 'validate_address',
  summary: 'Says whether a text is an address of this network, and the words to compare it with.',
  params: params({ address: Type.String({ maxLength: 512 }) }),
  result: Type.Object({
    valid: Type.Boolean(),
    address: Type.Optional(Address),
    network: Type.Optional(Network),
    type: Type.Optional(
      Type.Union([Type.Literal('key'), Type.Literal('multisig'), Type.Literal('burn')]),
    ),
    words: Type.Optional(Words),
    own: Type.Optional(Type.Boolean({ description: 'Whether it belongs to this wallet.' })),
    label: Type.Optional(OptionalLabel),
    reason: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
  }),
  errors: [],
  example: {
    params: { address: ADDRESS },
    result: {
      valid: true,
      address: ADDRESS,
      network: 'development',
      type: 'key',
      words: WORDS,
      own: false,
      label: null,
    },
  },
});

export const ADDRESSES_METHODS = {
  new_address: newAddress,
  receive,
  addresses,
  set_label: setLabel,
  validate_address: validateAddress,
} as const;
