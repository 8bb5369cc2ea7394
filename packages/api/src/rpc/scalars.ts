/**
 * The small schemas of the wallet daemon. Amounts are coins here, not atoms.
 */
import { type TProperties, Type } from 'typebox';
import { Address, Height, Identifier } from '../base/scalars.ts';

export { Address, Height, Identifier };

/** Parameters are strict: a field that is not named is refused. */
export function params<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

/** The same schema with a description of its own. */
export function described<S extends object>(schema: S, description: string): S {
  return { ...schema, description };
}

export const CoinsIn = Type.String({
  pattern: '^(0|[1-9][0-9]{0,8})(\\.[0-9]{1,8})?$',
  description: 'Coins in decimal with at most 8 decimals, such as `1.25`; never a number.',
});

export const Coins = Type.String({
  pattern: '^(0|[1-9][0-9]{0,8})\\.[0-9]{8}$',
  description: 'Coins with 8 decimals.',
});

export const REQUEST_ID_CHARACTERS_MAX = 128;

export const RequestId = Type.String({
  minLength: 1,
  maxLength: REQUEST_ID_CHARACTERS_MAX,
  pattern: '^(?!auto:)[!-~]+$',
  description:
    "The caller's own name for the request: 1 to 128 printable ASCII characters without blanks, not beginning with `auto:`. A name is used once: a repeat is answered with the first result.",
});

export const DryRun = Type.Optional(
  Type.Boolean({ description: 'Shows what the call would do and does none of it.' }),
);

export const LABEL_CHARACTERS_MAX = 256;

export const Label = Type.String({
  maxLength: LABEL_CHARACTERS_MAX,
  description: 'Any text of your own, such as a customer number.',
});

export const PAYLOAD_TEXT_CHARACTERS_MAX = 4_096;

export const PayloadTextIn = Type.String({
  minLength: 1,
  maxLength: PAYLOAD_TEXT_CHARACTERS_MAX,
  description: 'A public text for the recipient.',
});

export const FeePerMassIn = Type.String({
  pattern: '^(0|[1-9][0-9]{0,6})$',
  description:
    "Atoms for each unit of mass; the chain's least unless given, and where less is given: `fee_per_mass` of the answer tells what it came to. A cancellation takes what it needs at the least.",
});

export const FeePerMass = Type.String({
  pattern: '^(0|[1-9][0-9]{0,19})$',
  description: 'Atoms for each unit of mass that are paid, not less than the chain takes.',
});

export const Cursor = Type.String({
  pattern: '^[0-9]{1,16}$',
  description: 'The `next_cursor` of the page before.',
});

export const NextCursor = Type.Optional(
  Type.String({ description: 'Goes on with the next page; absent on the last.' }),
);

export const PAGE_MAX = 1_000;
export const PAGE_DEFAULT = 100;

export const Limit = Type.Integer({
  minimum: 1,
  maximum: PAGE_MAX,
  description: `Rows of a page; ${PAGE_DEFAULT} unless given, at most ${PAGE_MAX}.`,
});

export const Words = Type.String({ description: 'Six words to compare the address aloud.' });

export const Confirmations = Type.Integer({
  minimum: 1,
  description: 'Cuts that made it final or came after; 1 is final.',
});
