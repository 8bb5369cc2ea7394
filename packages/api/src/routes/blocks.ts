/**
 * Work blocks and their rewards.
 */
import { type Static, Type } from 'typebox';
import { CutReference, Outpoint } from '../base/references.ts';
import { IdParams, Limit, strict } from '../base/request.ts';
import { finalized, routesOf } from '../base/route.ts';
import { Address, ATOMS_PATTERN, Atoms, Count, Height, Identifier } from '../base/scalars.ts';

export const RewardState = Type.Union([
  Type.Literal('waiting'),
  Type.Literal('registered'),
  Type.Literal('paid'),
  Type.Literal('expired'),
]);

export const RewardAmount = Type.String({
  pattern: ATOMS_PATTERN,
  description:
    'What the block earned, in atoms. Blocks of one anchor that pay one address share an output: this is one ' +
    'part of its amount, so count rewards by block and outputs once.',
});

export const OutputAmount = Type.String({
  pattern: ATOMS_PATTERN,
  description:
    'The amount of the output in atoms: the sum of the rewards of all blocks that name it.',
});

/** Amounts are null until the window of the anchor has closed. */
export const Reward = Type.Object({
  state: RewardState,
  share: Type.Union([Atoms, Type.Null()]),
  fees: Type.Union([Atoms, Type.Null()]),
  amount: Type.Union([RewardAmount, Type.Null()]),
  outpoint: Type.Union([Outpoint, Type.Null()]),
  output_amount: Type.Union([OutputAmount, Type.Null()]),
});
export type Reward = Static<typeof Reward>;

const define = routesOf('blocks');

export const RecentBlock = Type.Object({
  block_id: Identifier,
  anchor_height: Height,
  registered_height: Height,
  registration_window_end: Height,
  payout_address: Address,
  reward: Reward,
});
export type RecentBlock = Static<typeof RecentBlock>;

export const BlocksRecent = finalized({
  blocks: Type.Array(RecentBlock, { description: 'Newest first.' }),
});
export type BlocksRecent = Static<typeof BlocksRecent>;

const BLOCKS_RECENT_PAGE = { default: 50, maximum: 500 } as const;

export const blocksRecent = define({
  name: 'blocksRecent',
  method: 'GET',
  path: '/v1/blocks/recent',
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
    limit: Limit(BLOCKS_RECENT_PAGE),
  }),
  answer: BlocksRecent,
  page: BLOCKS_RECENT_PAGE,
  weight: { base: 1, perItem: 0.05 },
  caching: 'revalidate',
});

export const Block = finalized({
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

export const block = define({
  name: 'block',
  method: 'GET',
  path: '/v1/blocks/{id}',
  summary: 'A work block and its reward.',
  params: IdParams,
  answer: Block,
  weight: { base: 4 },
  caching: 'immutable',
  errors: ['not_found', 'not_kept'],
});
