/**
 * Methods of a shared wallet, whose payments need the signatures of several members. A payment travels between their
 * devices as a package: one member proposes, others review and sign, and a member with enough signatures submits.
 */
import { Type } from 'typebox';
import { Hex, OutputIndex } from '../../base/scalars.ts';
import { ADDRESS, ID, Outcome, Recipient } from '../documents.ts';
import { methodsOf } from '../method.ts';
import {
  Address,
  Coins,
  CoinsIn,
  described,
  FeePerMassIn,
  Height,
  Identifier,
  params,
  RequestId,
} from '../scalars.ts';
import { RECIPIENTS_MAX, ValidCuts } from './outgoing.ts';

const define = methodsOf('shared');

export const PACKAGES_MAX = 5;
export const PACKAGE_CHARACTERS_MAX = 120_000;

const PackageIn = Type.String({
  pattern: '^([0-9a-f]{2})+$',
  maxLength: PACKAGE_CHARACTERS_MAX,
  description: 'A package in hexadecimal, as `shared_propose` and `shared_sign` answer it.',
});

const REVIEW_FIELDS = {
  digest: described(
    Identifier,
    'Commits to everything that is shown here, without signatures: a signer names it.',
  ),
  transaction: Identifier,
  address: described(Address, 'The shared address that pays.'),
  payments: described(Type.Array(Recipient), 'Who gets what.'),
  change: described(Type.Array(Recipient), 'What comes back to the shared address.'),
  fee: described(Coins, 'Declared in the body, so that every signature covers it.'),
  spent: described(Coins, 'Payments, change and fee together: what the inputs are worth.'),
  inputs: Type.Array(
    Type.Object({
      transaction: Identifier,
      output: OutputIndex,
      amount: Coins,
      known: Type.Boolean({
        description: 'This wallet has the output, of this amount, and it is unspent.',
      }),
    }),
  ),
  threshold: Type.Integer({ minimum: 2, description: 'Signatures that are needed.' }),
  signed_by: Type.Array(Type.Integer({ minimum: 0 }), {
    description: 'Members whose signatures are inside and hold, in the order of the descriptor.',
  }),
  own_member: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: 'Which member this wallet has the key of.',
  }),
  signatures_missing: Type.Integer({ minimum: 0 }),
  valid_from_height: described(
    Height,
    'The first cut that may execute the payment; a proposal begins where the chain is.',
  ),
  valid_until_height: Height,
  payloads: Type.Array(
    Type.Object({
      output: Type.Union([OutputIndex, Type.Null()], {
        description: 'Whose recipient it is for; null where the bytes do not say so.',
      }),
      payload_text: Type.Union([Type.String(), Type.Null()], {
        description: 'Text of the maker of the package, as it was given: escape it.',
      }),
      payload_hex: Type.Union([Hex, Type.Null()], { description: 'Bytes that are no text.' }),
    }),
    {
      description:
        'What the payment would carry beside its amounts. A proposal carries nothing, and `shared_sign` refuses a package that does.',
    },
  ),
};

const REVIEW_EXAMPLE = {
  digest: ID,
  transaction: ID,
  address: ADDRESS,
  payments: [{ to: ADDRESS, amount: '1.25000000' }],
  change: [{ to: ADDRESS, amount: '3.74810000' }],
  fee: '0.00190000',
  spent: '5.00000000',
  inputs: [{ transaction: ID, output: 0, amount: '5.00000000', known: true }],
  threshold: 2,
  signed_by: [],
  own_member: 1,
  signatures_missing: 2,
  valid_from_height: 5120,
  valid_until_height: 6560,
  payloads: [],
};

const NODE_ERRORS = ['not_shared', 'node_unreachable', 'node_busy', 'wrong_chain'] as const;

const sharedPropose = define({
  name: 'shared_propose',
  summary:
    'Begins a payment of a shared wallet: makes a package for the members to sign and holds its coins until it is paid or expired.',
  params: params({
    recipients: Type.Array(params({ to: Address, amount: CoinsIn }), {
      minItems: 1,
      maxItems: RECIPIENTS_MAX,
    }),
    request_id: RequestId,
    fee_per_mass: Type.Optional(FeePerMassIn),
    valid_cuts: Type.Optional(ValidCuts),
  }),
  result: Type.Object({
    package_hex: described(Hex, 'Goes to the members. It holds no secret.'),
    ...REVIEW_FIELDS,
    outcome: Type.Union([Outcome, Type.Null()], {
      description: 'What became of the payment; null while that is open.',
    }),
    duplicate: Type.Boolean({
      description: 'The name was used before; this is the package made then.',
    }),
    mismatch: Type.Optional(Type.Literal(true, { description: 'With other parameters.' })),
  }),
  extension: true,
  errors: [
    ...NODE_ERRORS,
    'insufficient_funds',
    'too_many_inputs',
    'fee_above_cap',
    'burn_address',
    'node_not_synced',
    'wallet_busy',
    'rescanning',
  ],
  example: {
    params: { recipients: [{ to: ADDRESS, amount: '1.25' }], request_id: 'invoice-77' },
    result: { package_hex: 'ab', ...REVIEW_EXAMPLE, outcome: null, duplicate: false },
  },
});

const sharedReview = define({
  name: 'shared_review',
  summary: 'What a package pays, read from the bytes that are signed.',
  params: params({ package_hex: PackageIn }),
  result: Type.Object(REVIEW_FIELDS),
  extension: true,
  errors: [...NODE_ERRORS, 'package_refused'],
  example: { params: { package_hex: 'ab' }, result: REVIEW_EXAMPLE },
});

const sharedSign = define({
  name: 'shared_sign',
  summary: "Adds the signature of this wallet's member to a package that was reviewed.",
  params: params({
    package_hex: PackageIn,
    digest: described(
      Identifier,
      'The digest of the review that a person has agreed to; any other package is refused.',
    ),
  }),
  result: Type.Object({ package_hex: Hex, ...REVIEW_FIELDS }),
  extension: true,
  errors: [...NODE_ERRORS, 'package_refused', 'cannot_sign', 'fee_above_cap', 'rescanning'],
  example: {
    params: { package_hex: 'ab', digest: ID },
    result: { package_hex: 'ab', ...REVIEW_EXAMPLE, signed_by: [1], signatures_missing: 1 },
  },
});

const sharedSubmit = define({
  name: 'shared_submit',
  summary: 'Joins packages of one payment and sends it, once they have enough signatures.',
  params: params({
    packages_hex: Type.Array(PackageIn, { minItems: 1, maxItems: PACKAGES_MAX }),
  }),
  result: Type.Object({
    ...REVIEW_FIELDS,
    request_id: described(Type.String(), 'The name under which the wallet keeps the payment.'),
    outcome: Type.Union([Outcome, Type.Null()]),
    duplicate: Type.Boolean({ description: 'The wallet has sent this payment before.' }),
  }),
  extension: true,
  errors: [
    ...NODE_ERRORS,
    'package_refused',
    'outcome_unknown',
    'node_refused',
    'rescanning',
    'other_history',
  ],
  example: {
    params: { packages_hex: ['ab', 'cd'] },
    result: {
      ...REVIEW_EXAMPLE,
      signed_by: [0, 1],
      signatures_missing: 0,
      request_id: 'invoice-77',
      outcome: null,
      duplicate: false,
    },
  },
});

export const SHARED_METHODS = {
  shared_propose: sharedPropose,
  shared_review: sharedReview,
  shared_sign: sharedSign,
  shared_submit: sharedSubmit,
} as const;
