/**
 * `GET /v1/mining/chain`: which chain the work is for and what its proof of work is made from, so that a bridge, pool
 * or miner needs no other source. Not part of the specification.
 */
import { type Static, Type } from 'typebox';
import { ApiVersion, Count, FinalizedHeight, Identifier } from '../base/scalars.ts';

export const MiningChainDocument = Type.Object({
  api_version: ApiVersion,
  network: Type.String(),
  chain_id: Identifier,
  finalized_height: FinalizedHeight,
  interval_cuts: Type.Integer({ minimum: 1, description: 'Cuts of an interval.' }),
  pow: Type.Object({
    cache_items: Count,
    dataset_pages: Count,
    period_cuts: Type.Integer({
      minimum: 1,
      description: 'Anchors of so many heights share a dataset.',
    }),
  }),
});
export type MiningChainDocument = Static<typeof MiningChainDocument>;
