/**
 * `GET /v1/cuts/{height}/validators`: the set that signs a cut.
 */
import { type Static, Type } from 'typebox';
import { HeightParams } from '../base/params.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, Atoms, FinalizedHeight, Height, Hex, Identifier } from '../base/scalars.ts';

export const CutValidators = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  height: Height,
  validator_set_id: Identifier,
  total_stake: Atoms,
  validators: Type.Array(Type.Object({ validator: Identifier, stake: Atoms, public_key: Hex }), {
    description: 'In the order of the signers of a certificate.',
  }),
  validator_set_hex: Hex,
});
export type CutValidators = Static<typeof CutValidators>;

export const cutValidators = defineRoute({
  name: 'cutValidators',
  method: 'GET',
  path: '/v1/cuts/{height}/validators',
  group: 'cuts',
  summary: 'The validator set that signs a cut, with keys and stakes.',
  params: HeightParams,
  answer: CutValidators,
  media: 'application/json',
  weight: { base: 10 },
  caching: 'revalidate',
  extension: true,
  errors: ['not_yet', 'not_kept', 'not_found'],
});
