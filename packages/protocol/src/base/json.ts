/**
 * A strict JSON reader for documents from outside. Beyond the grammar it refuses duplicate keys, nesting deeper than
 * 32, texts over a limit (1 MiB by default), lone surrogates, and every number that is not a safe integer in its one
 * canonical form; objects have no prototype. `JSON.parse` allows all of these.
 */
import { kindOf } from './kind-of.ts';
import { SvcError } from './svc-error.ts';
import { hasControlCharacter } from './text-scan.ts';

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

const JSON_CHARACTERS_MAX = 1 << 20;
const JSON_DEPTH_MAX = 32;
const INTEGER = /-?(?:0|[1-9][0-9]{0,15})/y;
const PLAIN_CHARACTERS = /[ !#-[\]-\uffff]*/y;
const SPACE = /[ \t\n\r]*/y;
/** White space and the refused control characters have codes up to this one. */
const SPACE_CODE = 32;
const QUOTE_CODE = 34;
const BACKSLASH_CODE = 92;
/** Texts up to this length are looked through here, longer ones by searches of the engine, which are slower to begin. */
const SHORT_CHARACTERS = 128;
const WORDS = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

export function parseJson(text: string, path = '', charactersMax = JSON_CHARACTERS_MAX): Json {
  if (typeof text !== 'string') {
    throw new SvcError('bad_type', `expected JSON as text, found ${kindOf(text)}`, { path });
  }
  if (text.length > charactersMax) {
    throw new SvcError('bad_json', `longer than ${charactersMax} characters`, { path });
  }
  const reader = new Reader(text, path);
  const value = reader.value(0);
  reader.end();
  return value;
}

class Reader {
  readonly #text: string;
  readonly #path: string;
  #at = 0;

  constructor(text: string, path: string) {
    this.#text = text;
    this.#path = path;
  }

  #fail(what: string): never {
    throw new SvcError('bad_json', `${what} at character ${this.#at}`, { path: this.#path });
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #peek(): string {
    // Fast path: between most tokens there is nothing to skip.
    if (this.#text.charCodeAt(this.#at) <= SPACE_CODE) this.#match(SPACE);
    return this.#text.charAt(this.#at);
  }

  #skipIf(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }

  #expect(character: string): void {
    if (!this.#skipIf(character)) this.#fail(`expected '${character}'`);
  }

  end(): void {
    if (this.#peek() !== '') this.#fail('unexpected text after the document');
  }

  value(depth: number): Json {
    if (depth > JSON_DEPTH_MAX) this.#fail(`nested deeper than ${JSON_DEPTH_MAX}`);
    const next = this.#peek();
    if (next === '{') return this.#object(depth);
    if (next === '[') return this.#array(depth);
    if (next === '"') return this.#string();
    for (const [word, value] of WORDS) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    return this.#integer();
  }

  #object(depth: number): JsonObject {
    const object: JsonObject = Object.create(null) as JsonObject;
    this.#expect('{');
    if (this.#skipIf('}')) return object;
    do {
      if (this.#peek() !== '"') this.#fail('expected a key');
      const key = this.#string();
      if (key in object) this.#fail(`the key ${JSON.stringify(key)} occurs twice, the second time`);
      this.#expect(':');
      object[key] = this.value(depth + 1);
    } while (this.#skipIf(','));
    this.#expect('}');
    return object;
  }

  #array(depth: number): Json[] {
    const array: Json[] = [];
    this.#expect('[');
    if (this.#skipIf(']')) return array;
    do array.push(this.value(depth + 1));
    while (this.#skipIf(','));
    this.#expect(']');
    return array;
  }

  #integer(): number {
    const start = this.#at;
    const found = this.#match(INTEGER);
    if (found === undefined) this.#fail('expected a value');
    const value = Number(found);
    if (
      !Number.isSafeInteger(value) ||
      Object.is(value, -0) ||
      /[0-9.eE]/.test(this.#text.charAt(this.#at))
    ) {
      this.#at = start;
      this.#fail('expected a whole number within 53 bits, or a decimal string,');
    }
    return value;
  }

  /** The string up to its quotation mark if it is short and holds no escape; undefined otherwise. */
  #shortString(): string | undefined {
    const end = Math.min(this.#text.length, this.#at + SHORT_CHARACTERS);
    for (let at = this.#at; at < end; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE_CODE) {
        const text = this.#text.slice(this.#at, at);
        this.#at = at + 1;
        return text;
      }
      if (code < SPACE_CODE || code === BACKSLASH_CODE || code > 0xff) return undefined;
    }
    return undefined;
  }

  #string(): string {
    this.#expect('"');
    const short = this.#shortString();
    if (short !== undefined) return short;
    const plain = this.#plainString();
    if (plain !== undefined) return plain;
    let text = '';
    for (;;) {
      text += this.#match(PLAIN_CHARACTERS) ?? '';
      const next = this.#text.charAt(this.#at);
      if (next === '"') break;
      if (next !== '\\') this.#fail('unfinished string or control character');
      this.#at++;
      text += this.#escape();
    }
    this.#at++;
    if (!text.isWellFormed()) this.#fail('lone surrogate in the string');
    return text;
  }

  /** The string up to its quotation mark, however long, if it holds nothing but plain characters; undefined otherwise. */
  #plainString(): string | undefined {
    const end = this.#text.indexOf('"', this.#at);
    if (end < 0) return undefined;
    const text = this.#text.slice(this.#at, end);
    if (text.includes('\\') || hasControlCharacter(text) || !text.isWellFormed()) return undefined;
    this.#at = end + 1;
    return text;
  }

  #escape(): string {
    const kind = this.#text.charAt(this.#at++);
    if (kind !== 'u') return ESCAPES[kind] ?? this.#fail('unknown escape');
    const digits = this.#text.slice(this.#at, this.#at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.#fail('expected four hexadecimal digits');
    this.#at += 4;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }
}
