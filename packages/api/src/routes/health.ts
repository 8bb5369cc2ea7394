/**
 * `GET /health`: whether the process answers.
 */
import { Type } from 'typebox';
import { defineRoute } from '../base/route.ts';

export const health = defineRoute({
  name: 'health',
  method: 'GET',
  path: '/health',
  group: 'service',
  summary: 'Answers `ok` while the node serves.',
  answer: Type.Literal('ok'),
  media: 'text/plain',
  weight: { base: 0 },
  caching: 'no_store',
  extension: false,
  errors: [],
});
