/**
 * `GET /v1/node/sync`.
 */
import { defineRoute } from '../base/route.ts';
import { SyncDocument } from '../documents/node.ts';

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
