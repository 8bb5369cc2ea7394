/**
 * Checks values against schemas of the contract, for every program that reads requests or answers. A schema is compiled
 * once in a process, with the first value: compiling those of all routes takes a quarter of a second, too long for a
 * start. The compiled form belongs to the schema object, so define schemas at the top of a module. The entry is
 * `svc-api/check`, since a page needs no compiler.
 */
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { ErrorCode } from '../errors.ts';

/** Why a value does not fit its schema. Values of the client are not repeated in the message. */
export interface Fault {
  readonly code: ErrorCode;
  readonly message: string;
  /** The field, such as `addresses[3]`; empty for the value itself. */
  readonly path: string;
}

const validators = new WeakMap<TSchema, Validator>();

export function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const validator = Compile(schema);
  validators.set(schema, validator);
  return validator;
}

/** The first fault of a value; undefined if it fits the schema. */
export function faultOf(schema: TSchema, value: unknown): Fault | undefined {
  const validator = validatorOf(schema);
  if (validator.Check(value)) return undefined;
  const [error] = validator.Errors(value) as readonly SchemaError[];
  if (error === undefined) throw new Error('a value that does not fit has no fault');
  const steps = error.instancePath.split('/').slice(1).map(plainStep);
  return lengthFault(schema, value, steps) ?? faultIn(error, steps);
}

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The parts of a schema that lead to the lists in it. */
interface ListSchema {
  readonly properties?: Readonly<Record<string, ListSchema>>;
  readonly items?: ListSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** A list of a wrong length is the fault, whatever its items are. */
function lengthFault(
  schema: ListSchema,
  value: unknown,
  steps: readonly string[],
): Fault | undefined {
  let at: ListSchema | undefined = schema;
  let part = value;
  for (const [depth, step] of steps.entries()) {
    if (Array.isArray(part) && at?.items !== undefined) {
      const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = at;
      const within = steps.slice(0, depth);
      if (part.length < minItems) return faultAt('minItems', { limit: minItems }, within);
      if (part.length > maxItems) return faultAt('maxItems', { limit: maxItems }, within);
    }
    at = at?.items ?? at?.properties?.[step];
    part = (part as Readonly<Record<string, unknown>> | null | undefined)?.[step];
  }
  return undefined;
}

function faultIn({ keyword, params }: SchemaError, steps: readonly string[]): Fault {
  if (keyword !== 'required') return faultAt(keyword, params, steps);
  const [missing = ''] = params['requiredProperties'] as readonly string[];
  return faultAt(keyword, params, [...steps, missing]);
}

function faultAt(keyword: string, params: SchemaError['params'], steps: readonly string[]): Fault {
  const path = steps.reduce((before, step) => {
    if (/^[0-9]+$/.test(step)) return `${before}[${step}]`;
    return before === '' ? step : `${before}.${step}`;
  }, '');
  return { code: codeOf(keyword, params, path), message: messageOf(keyword, params), path };
}

const FIELD_CHARACTERS_MAX = 64;

/** A step of a JSON pointer; the client chooses the names of unknown fields. */
function plainStep(step: string): string {
  const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
  return name.length <= FIELD_CHARACTERS_MAX ? name : `${name.slice(0, FIELD_CHARACTERS_MAX)}…`;
}

/** Codes by the keyword that was not met; an unknown field meets the schema `false`. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  required: 'missing_field',
  boolean: 'unknown_field',
  type: 'bad_type',
  minItems: 'too_few_items',
  maxItems: 'too_many_items',
  uniqueItems: 'duplicate_item',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  minLength: 'bad_length',
  maxLength: 'bad_length',
};

function codeOf(keyword: string, params: SchemaError['params'], path: string): ErrorCode {
  if (keyword === 'const' && path === 'api_version') return 'unsupported_version';
  if (keyword !== 'pattern') return CODES[keyword] ?? 'bad_value';
  if (path === 'cursor') return 'bad_cursor';
  if (path === 'amount') return 'bad_amount';
  return String(params['pattern']).includes('0-9a-f') ? 'bad_hex' : 'bad_text';
}

function messageOf(keyword: string, params: SchemaError['params']): string {
  const limit = String(params['limit']);
  switch (keyword) {
    case 'required':
      return 'the field is missing';
    case 'boolean':
      return 'there is no such field';
    case 'type':
      return `expected ${String(params['type'])}`;
    case 'const':
      return `expected ${JSON.stringify(params['allowedValue'])}`;
    case 'enum':
      return `expected one of ${JSON.stringify(params['allowedValues'])}`;
    case 'pattern':
      return `expected text of the form ${String(params['pattern'])}`;
    case 'minItems':
      return `expected at least ${limit} items`;
    case 'maxItems':
      return `expected at most ${limit} items`;
    case 'uniqueItems':
      return 'expected every item once';
    case 'minLength':
      return `expected at least ${limit} characters`;
    case 'maxLength':
      return `expected at most ${limit} characters`;
    case 'minimum':
      return `expected at least ${limit}`;
    case 'maximum':
      return `expected at most ${limit}`;
    default:
      return 'not allowed';
  }
}
