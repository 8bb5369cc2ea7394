/**
 * `GET /ready`: whether a load balancer should send requests here.
 */
import { Type } from 'typebox';
import { defineRoute } from '../base/route.ts';

export const ready = defineRoute({
  name: 'ready',
  method: 'GET',
  path: '/ready',
  group: 'service',
  summary:
    'Answers `ready` while the node can serve, and a further line for each trouble that does not keep it from that; otherwise 503 with the reasons.',
  answer: Type.String({ pattern: '^ready(\\n[a-z_]+: .*)*$' }),
  media: 'text/plain',
  weight: { base: 0 },
  caching: 'no_store',
  extension: true,
  errors: ['not_synced'],
});
