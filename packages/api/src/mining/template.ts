/**
 * `POST /v1/mining/templates`: work for a miner, on an anchor that the node draws. Every nonce makes a different header. A miner that needs another
 * body asks for another template, or changes the free bytes of the extranonce in header and body and the body root
 * with them.
 */
import { type Static, Type } from 'typebox';
import { strict } from '../base/request.ts';
import { Address, ApiVersion, Atoms, Count, Height, Hex, Identifier } from '../base/scalars.ts';

export const TEMPLATE_TRANSACTIONS_MAX = 1_024;
export const MINER_TAG_CHARACTERS_MAX = 20;

export const TemplateRequest = strict({
  api_version: Type.Optional(ApiVersion),
  payout: Address,
  max_transactions: Type.Integer({
    minimum: 0,
    maximum: TEMPLATE_TRANSACTIONS_MAX,
    description: `The most transactions in the body, up to ${TEMPLATE_TRANSACTIONS_MAX.toLocaleString('en')}.`,
  }),
  miner_tag: Type.Optional(
    Type.String({
      maxLength: MINER_TAG_CHARACTERS_MAX,
      pattern: '^[A-Za-z0-9 ._/:+@#()!-]*$',
      description: `Written into the extranonce, at most ${MINER_TAG_CHARACTERS_MAX} characters. Not part of the specification.`,
    }),
  ),
});
export type TemplateRequest = Static<typeof TemplateRequest>;

const Place = (description: string) =>
  Type.Object({ offset: Count, bytes: Count }, { description });

export const TemplateDocument = Type.Object({
  api_version: ApiVersion,
  template_id: Type.String({ pattern: '^[0-9a-f]{22}$', description: 'Names the template.' }),
  anchor: Type.Object(
    { height: Height, cut_id: Identifier },
    { description: 'The final cut that the block names.' },
  ),
  target: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description: 'The hash, as a big-endian number, must not be above it.',
  }),
  registration_window_end: Type.Integer({
    minimum: 0,
    description: 'The first height at which the block can no longer be registered.',
  }),
  parents: Type.Array(Identifier, {
    minItems: 1,
    maxItems: 8,
    description: 'Ids of the blocks that the block names.',
  }),
  roots: Type.Object(
    { parents: Identifier, body: Identifier, payout: Identifier },
    { description: 'The roots in the header.' },
  ),
  header_hex: Type.String({
    pattern: '^[0-9a-f]{624}$',
    description: 'The header with a nonce of zeros.',
  }),
  body_hex: Hex,
  extranonce: Type.Object(
    {
      hex: Type.String({ pattern: '^[0-9a-f]{64}$' }),
      header_offset: Count,
      body_offset: Count,
      free: Place('The bytes of the extranonce behind the tag, counted from its start.'),
    },
    {
      description:
        'The same bytes in header and body; `free` are those behind the tag, counted from the start of the extranonce.',
    },
  ),
  nonce: Place('The bytes of the nonce in the header.'),
  transactions: Type.Array(Identifier, { description: 'Ids of the transactions in the body.' }),
  fees: Atoms,
  transactions_until_millis: Type.Integer({
    minimum: 0,
    description: 'Until then further templates for this address carry the same transactions.',
  }),
});
export type TemplateDocument = Static<typeof TemplateDocument>;
