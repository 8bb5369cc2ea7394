/**
 * The mining listener: work for miners, blocks that they found, and one event for each finalized cut. It serves the state
 * and the rates of the node as well.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { strict } from './base/request.ts';
import {
  Address,
  ApiVersion,
  Atoms,
  Count,
  FinalizedHeight,
  Height,
  Hex,
  Identifier,
} from './base/scalars.ts';
import type { ErrorCode } from './errors.ts';
import { SyncDocument } from './routes/node.ts';

const Thousandths = (description: string) =>
  Type.String({ pattern: '^(0|[1-9][0-9]*)\\.[0-9]{3}$', description });

export const RatesDocument = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  window_cuts: Type.Integer({
    minimum: 0,
    description: 'Over how many of the last cuts the rates are taken; few on a young chain.',
  }),
  window_millis: Type.Integer({ minimum: 0, description: 'How long these cuts took.' }),
  hashrate: Type.String({
    pattern: '^(0|[1-9][0-9]*)$',
    description:
      'Hashes in a second, estimated from the targets of the blocks that were registered.',
  }),
  target: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description: 'The target of blocks anchored to the finalized head, big-endian.',
  }),
  registered_blocks: Count,
  blocks_per_cut: Thousandths('Registered blocks in a cut.'),
  cut_millis: Type.Integer({ minimum: 0, description: 'The mean time from one cut to the next.' }),
  transactions: Type.Integer({ minimum: 0, description: 'Transactions finalized by these cuts.' }),
  transactions_per_second: Thousandths('Finalized transactions in a second.'),
});
export type RatesDocument = Static<typeof RatesDocument>;

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

export const MINING_EVENTS_PROTOCOL = 'svc.mining-events.v1';

export const MiningEvent = Type.Object({
  type: Type.Literal('cut_finalized'),
  data: Type.Object({
    height: Height,
    cut_id: Identifier,
    target: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'The target of blocks anchored to this cut, big-endian.',
    }),
    registration_window_end: Type.Integer({
      minimum: 0,
      description: 'The first height that registers no more blocks anchored to this cut.',
    }),
  }),
});
export type MiningEvent = Static<typeof MiningEvent>;

export interface MiningRoute {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  readonly body?: TSchema;
  readonly answer: TSchema;
  /** Refusals beside those that every route may give. */
  readonly errors: readonly ErrorCode[];
}

export const MINING_ROUTES = [
  {
    name: 'createTemplate',
    method: 'POST',
    path: '/v1/mining/templates',
    summary: 'Work on an open anchor, drawn by the node, that pays an address.',
    body: TemplateRequest,
    answer: TemplateDocument,
    errors: ['bad_address', 'wrong_network', 'overloaded', 'not_synced'],
  },
  {
    name: 'submitCandidate',
    method: 'POST',
    path: '/v1/mining/candidates',
    summary: 'A block that was found.',
    body: CandidateRequest,
    answer: CandidateDocument,
    errors: [
      'late',
      'bad_block',
      'wrong_chain',
      'unknown_anchor',
      'wrong_target',
      'target_missed',
      'bad_parents',
      'body_used',
      'block_pool_full',
      'overloaded',
    ],
  },
  {
    name: 'miningEvents',
    method: 'GET',
    path: '/v1/events',
    summary: 'One event for each finalized cut: a WebSocket, or server-sent events.',
    answer: MiningEvent,
    errors: ['subprotocol_required', 'too_many_connections'],
  },
  {
    name: 'nodeSync',
    method: 'GET',
    path: '/v1/node/sync',
    summary: 'How far the node is behind the network.',
    answer: SyncDocument,
    errors: [],
  },
  {
    name: 'chainRates',
    method: 'GET',
    path: '/v1/chain/rates',
    summary: 'Hashrate, blocks, cuts and transactions of the last cuts.',
    answer: RatesDocument,
    errors: [],
  },
  {
    name: 'miningChain',
    method: 'GET',
    path: '/v1/mining/chain',
    summary: 'Which chain the work is for, and what its proof of work is made from.',
    answer: MiningChainDocument,
    errors: [],
  },
] as const satisfies readonly MiningRoute[];
