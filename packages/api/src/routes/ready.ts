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
  summary: 'Answers `ready` while the node follows the chain; otherwise 503 with the reasons.',
  answer: Type.Literal('ready'),
  media: 'text/plain',
  weight: { base: 0 },
  caching: 'no_store',
  extension: true,
  errors: ['not_synced'],
});
