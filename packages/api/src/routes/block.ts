/**
 * `GET /v1/blocks/{id}`.
 */
import { type Static, Type } from 'typebox';
import { IdParams } from '../base/params.ts';
import { defineRoute } from '../base/route.ts';
import {
  Address,
  ApiVersion,
  Count,
  FinalizedHeight,
  Height,
  Identifier,
} from '../base/scalars.ts';
import { CutReference } from '../documents/references.ts';
import { Reward } from '../documents/reward.ts';

export const Block = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  block_id: Identifier,
  anchor_height: Height,
  anchor_cut_id: Identifier,
  registration_window_end: Height,
  parents: Type.Array(Identifier),
  payout_address: Address,
  miner_tag: Type.String({ description: 'Chosen by the miner; show it as text.' }),
  transactions: Type.Array(Identifier),
  body_bytes: Count,
  registered_cut: Type.Union([CutReference, Type.Null()]),
  executed_cut: Type.Union([CutReference, Type.Null()]),
  reward: Reward,
});
export type Block = Static<typeof Block>;

export const block = defineRoute({
  name: 'block',
  method: 'GET',
  path: '/v1/blocks/{id}',
  group: 'blocks',
  summary: 'A work block and its reward.',
  params: IdParams,
  answer: Block,
  media: 'application/json',
  weight: { base: 4 },
  caching: 'immutable',
  extension: false,
  errors: ['not_found', 'not_kept'],
});
