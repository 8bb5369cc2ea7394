/**
 * `GET /openapi.json`, `/asyncapi.json`, `/llms.txt` and `/llms-full.txt`: the contract for programs.
 */
import { Type } from 'typebox';
import { defineRoute } from '../base/route.ts';

const COMMON = {
  method: 'GET',
  group: 'service',
  weight: { base: 5 },
  caching: 'static',
  extension: true,
  errors: [],
} as const;

export const openapiJson = defineRoute({
  ...COMMON,
  name: 'openapiJson',
  path: '/openapi.json',
  summary: 'These routes as an OpenAPI 3.1 document.',
  answer: Type.Object({ openapi: Type.Literal('3.1.0') }),
  media: 'application/json',
});

export const asyncapiJson = defineRoute({
  ...COMMON,
  name: 'asyncapiJson',
  path: '/asyncapi.json',
  summary: 'The sockets as an AsyncAPI 3.0 document.',
  answer: Type.Object({ asyncapi: Type.String() }),
  media: 'application/json',
});

export const llmsTxt = defineRoute({
  ...COMMON,
  name: 'llmsTxt',
  path: '/llms.txt',
  summary: 'A short description of the interface for language models.',
  answer: Type.String(),
  media: 'text/plain',
});

export const llmsFullTxt = defineRoute({
  ...COMMON,
  name: 'llmsFullTxt',
  path: '/llms-full.txt',
  summary:
    'Module, client, tests, routes, sockets, wallet daemon and development networks in one text for language models.',
  answer: Type.String(),
  media: 'text/plain',
});
