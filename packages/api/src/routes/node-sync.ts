/**
 * `GET /v1/node/sync`.
 */
import { type Static, Type } from 'typebox';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, Count, Height } from '../base/scalars.ts';

export const SyncDocument = Type.Object({
  api_version: ApiVersion,
  synced: Type.Boolean(),
  finalized_height: Height,
  best_peer_height: Type.Union([Height, Type.Null()]),
  behind_by: Count,
  peers: Count,
});
export type SyncDocument = Static<typeof SyncDocument>;

export const nodeSync = defineRoute({
  name: 'nodeSync',
  method: 'GET',
  path: '/v1/node/sync',
  group: 'node',
  summary: 'Whether the node has caught up with its peers.',
  answer: SyncDocument,
  media: 'application/json',
  weight: { base: 1 },
  caching: 'no_store',
  extension: false,
  errors: [],
});
