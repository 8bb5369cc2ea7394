/**
 * `GET /v1/cuts/{height}/certificate`.
 */
import { type Static, Type } from 'typebox';
import { HeightParams } from '../base/params.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, Count, FinalizedHeight, Height, Hex, Identifier } from '../base/scalars.ts';

export const CutCertificate = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  height: Height,
  cut_id: Identifier,
  validator_set_id: Identifier,
  round: Count,
  signers: Type.Array(Count, { description: 'Places in the validator set.' }),
  header_hex: Hex,
  certificate_hex: Hex,
});
export type CutCertificate = Static<typeof CutCertificate>;

export const cutCertificate = defineRoute({
  name: 'cutCertificate',
  method: 'GET',
  path: '/v1/cuts/{height}/certificate',
  group: 'cuts',
  summary: 'Header and certificate of a cut, for checking its signatures.',
  params: HeightParams,
  answer: CutCertificate,
  media: 'application/json',
  weight: { base: 4 },
  caching: 'immutable',
  extension: true,
  errors: ['not_yet', 'not_kept', 'not_found'],
});
