/**
 * Reads the parts of a request: body, query, and every part against its schema.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifySchemaCompiler } from 'fastify';
import { type Route, SUBMISSIONS_MAX } from 'svc-api';
import { isRefusal, type Json, parseJson, Reader } from 'svc-wasm/base';
import type { TObject } from 'typebox';
import { expectFit, type Refusal, Refused } from '../../refusal.ts';

export const BODY_BYTES_MAX = 128 * 1024;

const MEDIA_TYPE = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?$/i;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Why the headers that describe the body of a route are refused. */
export function bodyHeadersFault(
  { headers }: IncomingMessage,
  { bytes }: Pick<Route, 'bytes'> = {},
): Refusal | undefined {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return { code: 'unsupported_media_type', message: 'expected a body that is not compressed' };
  }
  const media = headers['content-type'] ?? '';
  if (MEDIA_TYPE.test(media) || media === bytes?.media) return undefined;
  return { code: 'unsupported_media_type', message: 'expected content-type application/json' };
}

/** Whether a request that takes no body has one. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

export function readJsonBody(bytes: Uint8Array): Json {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    throw new Refused('bad_json', 'expected UTF-8');
  }
  return parseJson(text);
}

const PATH = 'body';

/** The transactions, in memory of their own; a body that is malformed is refused whole. */
export function readWiresBody(body: Uint8Array): readonly Uint8Array[] {
  const reader = new Reader(body);
  const wires: Uint8Array[] = [];
  while (reader.offset < body.length) {
    if (wires.length === SUBMISSIONS_MAX) {
      const message = `expected at most ${SUBMISSIONS_MAX} items`;
      throw new Refused('too_many_items', message, { path: PATH });
    }
    wires.push(nextWire(reader));
  }
  if (wires.length > 0) return wires;
  throw new Refused('too_few_items', 'expected at least 1 items', { path: PATH });
}

function nextWire(reader: Reader): Uint8Array {
  const start = reader.offset;
  try {
    const wire = reader.counted(BODY_BYTES_MAX);
    if (wire.length > 0) return wire;
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  const message = `expected the length of a transaction and so many bytes at offset ${start}`;
  throw new Refused('bad_length', message, { path: PATH });
}

type Query = Readonly<Record<string, string>>;

/**
 * Queries: names and values once each, escapes decoded as UTF-8. It never throws, since the router calls it;
 * what is wrong is handed on.
 */
export class QueryFault {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    this.refusal = refusal;
  }
}

const PARAMETERS_MAX = 16;
const NAME = /^[a-z_]{1,32}$/;
const NOTHING: Query = Object.freeze(Object.create(null) as Query);

export function parseQuery(text: string): Query | QueryFault {
  if (text === '') return NOTHING;
  const parts = text.split('&');
  if (parts.length > PARAMETERS_MAX) {
    return fault('bad_target', `expected at most ${PARAMETERS_MAX} query parameters`);
  }
  const query: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const part of parts) {
    const equals = part.indexOf('=');
    const name = equals === -1 ? part : part.slice(0, equals);
    const value = equals === -1 ? undefined : decoded(part.slice(equals + 1));
    if (!NAME.test(name) || value === undefined) {
      return fault('bad_target', 'expected name=value, with escapes of UTF-8 in the value');
    }
    if (name in query) return fault('duplicate_parameter', 'the parameter occurs twice', name);
    query[name] = value;
  }
  return query;
}

function fault(code: Refusal['code'], message: string, path?: string): QueryFault {
  return new QueryFault({ code, message, path });
}

/** The value without escapes; undefined if they are no UTF-8. */
function decoded(value: string): string | undefined {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

const INTEGER = /^(?:0|[1-9][0-9]{0,15})$/;

export const readerOf: FastifySchemaCompiler<TObject> = ({ schema, httpPart }) => {
  const integers = httpPart === 'body' ? [] : integerFields(schema);
  return (part: unknown) => {
    try {
      const value = withIntegers(part as Fields, integers);
      expectFit(schema, value);
      return { value };
    } catch (error) {
      return { error: error as Error };
    }
  };
};

/**
 * Reads the parts of a request against their schemas. Integers in paths and queries arrive as text: they are exact decimal
 * digits, or refused. Goes to `setValidatorCompiler` of an application.
 */
function integerFields(schema: TObject): readonly string[] {
  return Object.entries(schema.properties)
    .filter(([, property]) => isInteger(property))
    .map(([name]) => name);
}

function isInteger(schema: unknown): boolean {
  const { type, anyOf } = schema as { type?: string; anyOf?: readonly unknown[] };
  if (anyOf !== undefined) return anyOf.every(isInteger);
  // A union of integers as literals has the type of numbers.
  return type === 'integer' || type === 'number';
}

/** The fields, with the named ones turned from text into numbers. */
function withIntegers(fields: Fields, names: readonly string[]): Fields {
  const present = names.filter((name) => fields[name] !== undefined);
  if (present.length === 0) return fields;
  return { ...fields, ...Object.fromEntries(present.map((name) => [name, integer(fields, name)])) };
}

function integer(fields: Fields, name: string): number {
  const text = fields[name];
  const value = typeof text === 'string' && INTEGER.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new Refused('bad_integer', 'expected a whole number in decimal digits', { path: name });
}
