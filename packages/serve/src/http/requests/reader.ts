/**
 * Reads the parts of a request against their schemas. Integers in paths and queries arrive as text: they are exact decimal
 * digits, or refused. Goes to `setValidatorCompiler` of an application.
 */
import type { FastifySchemaCompiler } from 'fastify';
import type { TObject } from 'typebox';
import { expectFit, Refused } from '../../refusal/refused.ts';

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
