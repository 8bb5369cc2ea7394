/**
 * `GET /v1/chain/head`.
 */
import { type Static, Type } from 'typebox';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, Count, Identifier, Millis } from '../base/scalars.ts';
import { CutReference, Network } from '../documents/references.ts';

export const ChainHead = Type.Object({
  api_version: ApiVersion,
  network: Network,
  chain_id: Identifier,
  cut: CutReference,
  time_millis: Millis,
  epoch: Count,
});
export type ChainHead = Static<typeof ChainHead>;

export const chainHead = defineRoute({
  name: 'chainHead',
  method: 'GET',
  path: '/v1/chain/head',
  group: 'chain',
  summary: 'The last finalized cut.',
  answer: ChainHead,
  media: 'application/json',
  weight: { base: 1 },
  caching: 'no_store',
  extension: false,
  errors: [],
});
