/**
 * The small schemas that documents are built from: versions, identifiers, amounts, heights, times.
 * Integers that a JSON number cannot hold are decimal strings; heights, counts and times are numbers.
 */
import { Type } from 'typebox';

export const ApiVersion = Type.Literal(1, { description: 'Version of the document; always 1.' });

/** The id of a block, transaction, cut, validator or position. */
export const Identifier = Type.String({
  pattern: '^[0-9a-f]{96}$',
  description: '96 lower-case hexadecimal characters.',
});

export const ADDRESS_CHARACTERS_MAX = 90;

/** The form of an address. The node checks network and checksum, and names what is wrong. */
export const Address = Type.String({
  minLength: 1,
  maxLength: ADDRESS_CHARACTERS_MAX,
  description: 'An address of the network in text form.',
});

export const ATOMS_PATTERN = '^(0|[1-9][0-9]{0,19})$';

export const Atoms = Type.String({
  pattern: ATOMS_PATTERN,
  description: 'Atoms in decimal; 1 coin is 100,000,000 atoms.',
});

export const Height = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Height of a cut.',
});

export const Millis = Type.Integer({ minimum: 0, description: 'Unix milliseconds.' });

export const Count = Type.Integer({ minimum: 0 });

export const Hex = Type.String({
  pattern: '^([0-9a-f]{2})*$',
  description: 'Bytes in lower-case hexadecimal.',
});

export const OutputIndex = Type.Integer({ minimum: 0, maximum: 0xffff_ffff });

export const FinalizedHeight = Type.Integer({
  minimum: 0,
  description: 'The finalized cut that the data belongs to.',
});

export const IndexedHeight = Type.Integer({
  minimum: 0,
  description: 'The finalized cut that the data is indexed to.',
});
