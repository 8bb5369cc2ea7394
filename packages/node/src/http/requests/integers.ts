/**
 * Integers in paths and queries arrive as text. They are exact decimal digits, or refused.
 */
import type { TObject } from 'typebox';
import { Refused } from '../../refusal/refused.ts';

const INTEGER = /^(?:0|[1-9][0-9]{0,15})$/;

/** The fields of a schema that are integers. */
export function integerFields(schema: TObject | undefined): readonly string[] {
  if (schema === undefined) return [];
  return Object.entries(schema.properties)
    .filter(([, property]) => isInteger(property))
    .map(([name]) => name);
}

function isInteger(schema: unknown): boolean {
  const { type, anyOf } = schema as { type?: string; anyOf?: readonly unknown[] };
  if (anyOf !== undefined) return anyOf.every(isInteger);
  return type === 'integer' || type === 'number';
}

/** The fields, with the named ones turned from text into numbers. */
export function withIntegers(
  fields: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const present = names.filter((name) => fields[name] !== undefined);
  if (present.length === 0) return fields;
  return { ...fields, ...Object.fromEntries(present.map((name) => [name, integer(fields, name)])) };
}

function integer(fields: Readonly<Record<string, unknown>>, name: string): number {
  const text = fields[name];
  const value = typeof text === 'string' && INTEGER.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new Refused('bad_integer', 'expected a whole number in decimal digits', { path: name });
}
