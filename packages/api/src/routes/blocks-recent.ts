/**
 * `GET /v1/blocks/recent`.
 */
import { type Static, Type } from 'typebox';
import { Limit, strict } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { Address, ApiVersion, FinalizedHeight, Height, Identifier } from '../base/scalars.ts';
import { Reward } from '../documents/reward.ts';

export const RecentBlock = Type.Object({
  block_id: Identifier,
  anchor_height: Height,
  registered_height: Height,
  registration_window_end: Height,
  payout_address: Address,
  reward: Reward,
});
export type RecentBlock = Static<typeof RecentBlock>;

export const BlocksRecent = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  blocks: Type.Array(RecentBlock, { description: 'Newest first.' }),
});
export type BlocksRecent = Static<typeof BlocksRecent>;

const PAGE = { default: 50, maximum: 500 } as const;

export const blocksRecent = defineRoute({
  name: 'blocksRecent',
  method: 'GET',
  path: '/v1/blocks/recent',
  group: 'blocks',
  summary: 'Work blocks registered last, newest first.',
  query: strict({
    registered_height: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'Only blocks that the cut of this height registered; none if the node no longer keeps it.',
      }),
    ),
    limit: Limit(PAGE),
  }),
  answer: BlocksRecent,
  media: 'application/json',
  page: PAGE,
  weight: { base: 1, perItem: 0.05 },
  caching: 'revalidate',
  extension: false,
  errors: [],
});
