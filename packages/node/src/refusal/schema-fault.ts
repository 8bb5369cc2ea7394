/**
 * Turns what the schema validator found into a refusal with a stable code and the field's path. Values of the
 * client are not repeated in the message.
 */
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import type { ErrorCode } from 'svc-api';
import { Refused } from './refused.ts';

type Parameters = Readonly<Record<string, unknown>>;

export function schemaFault(errors: readonly FastifySchemaValidationError[]): Refused {
  const [error] = errors;
  if (error === undefined) return new Refused('bad_request', 'the request does not fit its schema');
  const path = pathOf(error);
  return new Refused(codeOf(error, path), messageOf(error), path === '' ? {} : { path });
}

function pathOf({ instancePath, keyword, params }: FastifySchemaValidationError): string {
  const steps = instancePath.split('/').slice(1);
  const { missingProperty, additionalProperty } = params as Parameters;
  if (keyword === 'required') steps.push(String(missingProperty));
  if (keyword === 'additionalProperties') steps.push(shortened(String(additionalProperty)));
  return steps.reduce((path, step) => {
    if (/^[0-9]+$/.test(step)) return `${path}[${step}]`;
    return path === '' ? step : `${path}.${step}`;
  }, '');
}

const FIELD_CHARACTERS_MAX = 64;

function shortened(name: string): string {
  return name.length <= FIELD_CHARACTERS_MAX ? name : `${name.slice(0, FIELD_CHARACTERS_MAX)}…`;
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  required: 'missing_field',
  additionalProperties: 'unknown_field',
  type: 'bad_type',
  minItems: 'too_few_items',
  maxItems: 'too_many_items',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  minLength: 'bad_length',
  maxLength: 'bad_length',
  anyOf: 'bad_value',
  enum: 'bad_value',
  const: 'bad_value',
};

function codeOf({ keyword, params }: FastifySchemaValidationError, path: string): ErrorCode {
  if (keyword === 'const' && path === 'api_version') return 'unsupported_version';
  if (keyword !== 'pattern') return CODES[keyword] ?? 'bad_value';
  if (path === 'cursor') return 'bad_cursor';
  if (path === 'amount') return 'bad_amount';
  return String((params as Parameters)['pattern']).includes('0-9a-f') ? 'bad_hex' : 'bad_text';
}

function messageOf({ keyword, params, message }: FastifySchemaValidationError): string {
  const given = params as Parameters;
  switch (keyword) {
    case 'required':
      return 'the field is missing';
    case 'additionalProperties':
      return 'there is no such field';
    case 'type':
      return `expected ${String(given['type'])}`;
    case 'const':
      return `expected ${JSON.stringify(given['allowedValue'])}`;
    case 'pattern':
      return `expected text of the form ${String(given['pattern'])}`;
    case 'minItems':
    case 'maxItems':
      return `expected ${keyword === 'minItems' ? 'at least' : 'at most'} ${String(given['limit'])} items`;
    default:
      return message === undefined ? 'not allowed' : `expected what ${message}`;
  }
}
