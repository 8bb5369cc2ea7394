/**
 * Kinds of fields. Each kind knows both forms of a value: JSON for `svc-mining-v1`, bytes for `svc-mining-v2`; and
 * the JSON schema that describes it. A value has one encoding in bytes; bad input is an `SvcError`.
 */
import type { Json, JsonObject, Reader, Writer } from 'svc-wasm/base';
import { Fields, fromHex, kindOf, SvcError, toHex } from 'svc-wasm/base';

export interface Kind<T> {
  toJson(value: T): Json;
  fromJson(json: Json, path: string): T;
  write(writer: Writer, value: T): void;
  read(reader: Reader, path: string): T;
  readonly schema: JsonObject;
  /** The name in JSON where it is not the field's own in snake case. */
  readonly jsonName?: string;
  readonly isOptional?: true;
}

export interface OptionalKind<T> extends Kind<T | undefined> {
  readonly isOptional: true;
}

type Table = Readonly<Record<string, Kind<never> | Kind<unknown>>>;
// biome-ignore lint/suspicious/noExplicitAny: a table holds kinds of any value, which only its own fields use.
type AnyKind = Kind<any>;
type ValueOf<K> = K extends Kind<infer T> ? T : never;
type OptionalNames<F> = {
  [N in keyof F]: F[N] extends { readonly isOptional: true } ? N : never;
}[keyof F];

export type FieldsOf<F> = {
  readonly [N in Exclude<keyof F, OptionalNames<F>>]: ValueOf<F[N]>;
} & { readonly [N in OptionalNames<F>]?: Exclude<ValueOf<F[N]>, undefined> };

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

function refuse(code: 'bad_type' | 'bad_text' | 'out_of_range', what: string, path: string): never {
  throw new SvcError(code, what, { path });
}

function expectText(json: Json, path: string): string {
  return typeof json === 'string'
    ? json
    : refuse('bad_type', `expected a string, found ${kindOf(json)}`, path);
}

function expectNumber(json: Json, most: number, path: string): number {
  if (typeof json !== 'number')
    return refuse('bad_type', `expected an integer, found ${kindOf(json)}`, path);
  if (json < 0 || json > most) refuse('out_of_range', `expected 0 to ${most}`, path);
  return json;
}

/** Exactly so many bytes; lower-case hexadecimal in JSON. */
export function bytes(length: number): Kind<Uint8Array> {
  return {
    toJson: toHex,
    fromJson: (json, path) => fromHex(expectText(json, path), path, length),
    write: (writer, value) => {
      if (value.length !== length) throw new RangeError(`expected ${length} bytes`);
      writer.raw(value);
    },
    read: (reader) => reader.raw(length),
    schema: { type: 'string', pattern: `^[0-9a-f]{${2 * length}}$` },
  };
}

/**
 * A nonce: whole in JSON; without the bytes of the server's prefix in a frame, where the server knows them. A value
 * may have either length; `wholeNonce` of the sessions puts the prefix back.
 */
export function nonceBytes(whole: number, free: number): Kind<Uint8Array> {
  const kind = bytes(whole);
  return {
    ...kind,
    write: (writer, value) => {
      if (value.length !== whole && value.length !== free)
        throw new RangeError(`expected ${whole} or ${free} bytes`);
      writer.raw(value.subarray(0, free));
    },
    read: (reader) => reader.raw(free),
  };
}

/** A height, count or period: a safe integer, eight bytes in a frame. */
export const count: Kind<number> = {
  toJson: (value) => value,
  fromJson: (json, path) => expectNumber(json, Number.MAX_SAFE_INTEGER, path),
  write: (writer, value) => void writer.u64(BigInt(value)),
  read: (reader, path) => {
    const value = reader.u64();
    if (value > MAX_SAFE) refuse('out_of_range', `expected at most ${MAX_SAFE}`, path);
    return Number(value);
  },
  schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
};

/** The number of a job: eight hexadecimal characters in JSON. */
export const jobNumber: Kind<number> = {
  toJson: (value) => value.toString(16).padStart(8, '0'),
  fromJson: (json, path) => {
    const [a, b, c, d] = fromHex(expectText(json, path), path, 4) as unknown as number[];
    return (a as number) * 2 ** 24 + (b as number) * 2 ** 16 + (c as number) * 2 ** 8 + (d ?? 0);
  },
  write: (writer, value) => void writer.u32(value),
  read: (reader) => reader.u32(),
  schema: { type: 'string', pattern: '^[0-9a-f]{8}$' },
};

export const flag: Kind<boolean> = {
  toJson: (value) => value,
  fromJson: (json, path) =>
    typeof json === 'boolean'
      ? json
      : refuse('bad_type', `expected a boolean, found ${kindOf(json)}`, path),
  write: (writer, value) => void writer.u8(value ? 1 : 0),
  read: (reader, path) => {
    const value = reader.u8();
    if (value > 1) refuse('out_of_range', `expected 0 or 1, found ${value}`, path);
    return value === 1;
  },
  schema: { type: 'boolean' },
};

/** Printable ASCII unless another pattern is given; so untrusted text can be logged. */
export function text(most: number, pattern = '[ -~]*'): Kind<string> {
  const form = new RegExp(`^(?:${pattern})$`);
  const expect = (value: string, path: string): string => {
    if (value.length > most) refuse('bad_text', `longer than ${most} characters`, path);
    return form.test(value) ? value : refuse('bad_text', `expected ${pattern}`, path);
  };
  return {
    toJson: (value) => expect(value, 'text'),
    fromJson: (json, path) => expect(expectText(json, path), path),
    write: (writer, value) => void writer.counted(new TextEncoder().encode(expect(value, 'text'))),
    read: (reader, path) => expect(latinOf(reader.counted(most)), path),
    schema: { type: 'string', maxLength: most, pattern: form.source },
  };
}

/** Bytes above 127 become characters that no pattern of this protocol allows. */
function latinOf(characters: Uint8Array): string {
  return String.fromCharCode(...characters);
}

/** One of a few names; its place in the list in a frame, so names are only ever added at the end. */
export function choice<const Names extends readonly string[]>(names: Names): Kind<Names[number]> {
  const expect = (name: string, path: string): Names[number] =>
    names.includes(name) ? name : refuse('bad_text', `expected one of ${names.join(', ')}`, path);
  return {
    toJson: (value) => value,
    fromJson: (json, path) => expect(expectText(json, path), path),
    write: (writer, value) => void writer.u8(names.indexOf(expect(value, 'choice'))),
    read: (reader, path) =>
      names[reader.u8()] ?? refuse('out_of_range', `expected below ${names.length}`, path),
    schema: { enum: [...names] },
  };
}

export function list<T>(kind: Kind<T>, most: number): Kind<readonly T[]> {
  const expectCount = (length: number, path: string): number =>
    length <= most ? length : refuse('out_of_range', `expected at most ${most} items`, path);
  return {
    toJson: (values) => values.map((value) => kind.toJson(value)),
    fromJson: (json, path) => {
      if (!Array.isArray(json))
        return refuse('bad_type', `expected an array, found ${kindOf(json)}`, path);
      expectCount(json.length, path);
      return json.map((item, index) => kind.fromJson(item, `${path}[${index}]`));
    },
    write: (writer, values) => {
      writer.u8(expectCount(values.length, 'list'));
      for (const value of values) kind.write(writer, value);
    },
    read: (reader, path) =>
      Array.from({ length: expectCount(reader.u8(), path) }, (_, index) =>
        kind.read(reader, `${path}[${index}]`),
      ),
    schema: { type: 'array', maxItems: most, items: kind.schema },
  };
}

/** A field that may be absent: no key in JSON, a byte of presence in a frame. */
export function optional<T>(kind: Kind<T>): OptionalKind<T> {
  return {
    ...kind,
    isOptional: true,
    toJson: (value) => kind.toJson(value as T),
    fromJson: (json, path) => kind.fromJson(json, path),
    write: (writer, value) => {
      flag.write(writer, value !== undefined);
      if (value !== undefined) kind.write(writer, value);
    },
    read: (reader, path) => (flag.read(reader, path) ? kind.read(reader, path) : undefined),
  };
}

/** The same kind under another name in JSON. */
export function named<K extends AnyKind>(jsonName: string, kind: K): K {
  return { ...kind, jsonName };
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Several fields, in the order in which frames have them. */
export function group<const F extends Table>(table: F): Kind<FieldsOf<F>> {
  const entries = Object.entries(table).map(([name, kind]) => ({
    name,
    json: (kind as AnyKind).jsonName ?? snake(name),
    kind: kind as AnyKind,
  }));
  const allowed = entries.map(({ json }) => json);
  return {
    toJson: (value) => {
      const object: JsonObject = {};
      for (const { name, json, kind } of entries) {
        const field = (value as Record<string, unknown>)[name];
        if (field !== undefined) object[json] = kind.toJson(field);
      }
      return object;
    },
    fromJson: (json, path) => {
      const fields = new Fields(json, path, allowed);
      const value: Record<string, unknown> = {};
      for (const { name, json: key, kind } of entries) {
        if (kind.isOptional === true && !fields.has(key)) continue;
        value[name] = kind.fromJson(fields.value(key), fields.at(key));
      }
      return value as FieldsOf<F>;
    },
    write: (writer, value) => {
      for (const { name, kind } of entries)
        kind.write(writer, (value as Record<string, unknown>)[name]);
    },
    read: (reader, path) => {
      const value: Record<string, unknown> = {};
      for (const { name, json, kind } of entries) {
        const field: unknown = kind.read(reader, `${path}.${json}`);
        if (field !== undefined) value[name] = field;
      }
      return value as FieldsOf<F>;
    },
    schema: {
      type: 'object',
      additionalProperties: false,
      required: entries.filter(({ kind }) => kind.isOptional !== true).map(({ json }) => json),
      properties: Object.fromEntries(entries.map(({ json, kind }) => [json, kind.schema])),
    },
  };
}
