/**
 * `GET /v1/node/status`.
 */
import { defineRoute } from '../base/route.ts';
import { StatusDocument } from '../documents/node.ts';

export const nodeStatus = defineRoute({
  name: 'nodeStatus',
  method: 'GET',
  path: '/v1/node/status',
  group: 'node',
  summary: 'The state of the node.',
  answer: StatusDocument,
  media: 'application/json',
  weight: { base: 1 },
  caching: 'no_store',
  extension: false,
  errors: [],
});
