/**
 * Reads the fields of one JSON object: each by name and type, nothing else allowed to be there.
 * Protocol integers are canonical decimal strings; errors name the path of the field.
 */
import { fromHex } from './bytes.ts';
import type { Json, JsonObject } from './json.ts';
import { parseJson } from './json.ts';
import { kindOf } from './kind-of.ts';
import { SvcError } from './svc-error.ts';

const DECIMAL = /^(?:0|[1-9][0-9]{0,19})$/;

export const U32_MAX = 0xffff_ffffn;
export const U64_MAX = 0xffff_ffff_ffff_ffffn;

export interface Range {
  readonly min?: bigint;
  readonly max: bigint;
}

/** A canonical decimal string within the range, as a bigint. */
export function parseDecimal(value: unknown, path: string, range: Range): bigint {
  if (typeof value !== 'string') {
    throw new SvcError('bad_type', `expected a decimal string, found ${kindOf(value)}`, { path });
  }
  if (!DECIMAL.test(value)) {
    throw new SvcError('bad_integer', 'expected digits without sign or leading zero', { path });
  }
  const number = BigInt(value);
  const min = range.min ?? 0n;
  if (number < min || number > range.max) {
    throw new SvcError('out_of_range', `expected ${min} to ${range.max}, found ${value}`, { path });
  }
  return number;
}

export function childPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

export class Fields {
  readonly path: string;
  readonly #object: JsonObject;

  /** Opens a parsed JSON value that must be an object with no fields beyond `allowed`. */
  constructor(value: Json | undefined, path: string, allowed: readonly string[]) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new SvcError('bad_type', `expected an object, found ${kindOf(value)}`, { path });
    }
    for (const name of Object.keys(value)) {
      if (allowed.includes(name)) continue;
      throw new SvcError(
        'unknown_field',
        `not a field of this document; it has ${allowed.join(', ')}`,
        {
          path: childPath(path, name.slice(0, 64)),
        },
      );
    }
    this.path = path;
    this.#object = value;
  }

  static parse(text: string, path: string, allowed: readonly string[]): Fields {
    return new Fields(parseJson(text, path), path, allowed);
  }

  at(name: string): string {
    return childPath(this.path, name);
  }

  has(name: string): boolean {
    return this.#object[name] !== undefined;
  }

  value(name: string): Json {
    const value = this.#object[name];
    if (value === undefined)
      throw new SvcError('missing_field', 'required', { path: this.at(name) });
    return value;
  }

  string(name: string, lengthMax = 4096): string {
    const value = this.value(name);
    if (typeof value !== 'string') {
      throw new SvcError('bad_type', `expected a string, found ${kindOf(value)}`, {
        path: this.at(name),
      });
    }
    if (value.length > lengthMax) {
      throw new SvcError('bad_length', `longer than ${lengthMax} characters`, {
        path: this.at(name),
      });
    }
    return value;
  }

  hex(name: string, length?: number): Uint8Array {
    return fromHex(this.string(name, 1 << 20), this.at(name), length);
  }

  boolean(name: string): boolean {
    const value = this.value(name);
    if (typeof value === 'boolean') return value;
    throw new SvcError('bad_type', `expected true or false, found ${kindOf(value)}`, {
      path: this.at(name),
    });
  }

  decimal(name: string, range: Range): bigint {
    return parseDecimal(this.value(name), this.at(name), range);
  }

  array(name: string, itemsMax: number): Json[] {
    return expectArray(this.value(name), this.at(name), itemsMax);
  }

  fields(name: string, allowed: readonly string[]): Fields {
    return new Fields(this.value(name), this.at(name), allowed);
  }
}

export function expectArray(value: Json, path: string, itemsMax: number): Json[] {
  if (!Array.isArray(value)) {
    throw new SvcError('bad_type', `expected an array, found ${kindOf(value)}`, { path });
  }
  if (value.length > itemsMax) {
    throw new SvcError('bad_length', `expected at most ${itemsMax} items, found ${value.length}`, {
      path,
    });
  }
  return value;
}
