/**
 * The lines of `svc-mining-v1` as one JSON schema, made from the table of messages: what
 * `docs/reference/mining-v1.schema.json` holds.
 */
import type { JsonObject } from 'svc-wasm/base';
import { REASON_CHARACTERS_MAX } from './limits.ts';
import { MESSAGE_KINDS, type MessageKind } from './messages.ts';

const VERSION: JsonObject = { const: '2.0' };
const ID: JsonObject = { type: 'integer', minimum: 0, maximum: 0xffff_ffff };

export function lineSchema(): JsonObject {
  const entries = MESSAGE_KINDS.map((kind): [string, JsonObject] => [kind.type, schemaOf(kind)]);
  const definitions: JsonObject = { ...Object.fromEntries(entries), refused: refusedSchema() };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A line of svc-mining-v1',
    oneOf: Object.keys(definitions).map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs: definitions,
  };
}

function schemaOf({ role, method, fields }: MessageKind): JsonObject {
  if (role === 'answer') return members({ id: ID, result: fields.schema });
  const content = { method: { const: method }, params: fields.schema };
  return members(role === 'request' ? { id: ID, ...content } : content);
}

function refusedSchema(): JsonObject {
  const error: JsonObject = {
    type: 'object',
    additionalProperties: false,
    required: ['code', 'message'],
    properties: {
      code: { type: 'integer', minimum: 0, maximum: 0xffff },
      message: { type: 'string', maxLength: REASON_CHARACTERS_MAX },
      data: { type: 'object' },
    },
  };
  return members({ id: { anyOf: [ID, { type: 'null' }] }, error });
}

function members(required: JsonObject): JsonObject {
  return {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(required),
    properties: { jsonrpc: VERSION, ...required },
  };
}
