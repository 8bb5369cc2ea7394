/**
 * `POST /v1/mining/candidates`: a block that was found. A block that came too late is refused with 409.
 */
import { type Static, Type } from 'typebox';
import { strict } from '../base/request.ts';
import { ApiVersion, Identifier } from '../base/scalars.ts';

const HEADER_CHARACTERS = 624;
const BODY_CHARACTERS_MAX = 128_000;

export const CandidateRequest = strict({
  api_version: Type.Optional(ApiVersion),
  header_hex: Type.String({
    minLength: HEADER_CHARACTERS,
    maxLength: HEADER_CHARACTERS,
    pattern: '^[0-9a-f]*$',
    description: 'The header with the nonce that was found, 312 bytes.',
  }),
  body_hex: Type.String({
    maxLength: BODY_CHARACTERS_MAX,
    pattern: '^([0-9a-f]{2})*$',
    description: 'The body whose root the header names, at most 64,000 bytes.',
  }),
});
export type CandidateRequest = Static<typeof CandidateRequest>;

export const CandidateDocument = Type.Object({
  api_version: ApiVersion,
  result: Type.Union([Type.Literal('accepted'), Type.Literal('known')], {
    description: '`known`: the node had the block already.',
  }),
  block_id: Identifier,
});
export type CandidateDocument = Static<typeof CandidateDocument>;
