/**
 * The routes of the mining listener.
 */
import type { TSchema } from 'typebox';
import { SyncDocument } from '../documents/node.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import { CandidateDocument, CandidateRequest } from './candidate.ts';
import { MiningChainDocument } from './chain.ts';
import { MiningEvent } from './events.ts';
import { RatesDocument } from './rates.ts';
import { TemplateDocument, TemplateRequest } from './template.ts';

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
