/**
 * Whether a value fits a setting, wherever it came from, and what a text from the environment or the
 * command line stands for.
 */
import type { SettingKind } from './setting.ts';

export const TEXT_LENGTH_MAX = 4_096;
const DECIMAL = /^(?:0|[1-9][0-9]{0,19})$/;
const U64_MAX = 18_446_744_073_709_551_615n;

/** What a value of this kind looks like, for people. */
export function expectation(kind: SettingKind): string {
  switch (kind.type) {
    case 'text':
      return 'text';
    case 'path':
      return 'a path';
    case 'hex':
      return `${kind.length} lower-case hexadecimal characters`;
    case 'atoms':
      return 'a whole number of atoms';
    case 'toggle':
      return 'true or false';
    case 'integer':
      return `a whole number from ${kind.min} to ${kind.max}`;
    case 'choice':
      return `one of ${kind.values.join(', ')}`;
    case 'list':
      return `a list of at most ${kind.itemsMax} texts`;
  }
}

export type Accepted = { readonly value: unknown } | { readonly problem: string };

/** Checks a value from JSON. A list may be given as its only item, atoms as a number. */
export function acceptValue(kind: SettingKind, found: unknown): Accepted {
  const value = canonical(kind, found);
  if (fits(kind, value)) return { value };
  return { problem: `expected ${expectation(kind)}, found ${shown(found)}` };
}

/** Checks a value given as text. */
export function acceptText(kind: SettingKind, found: string): Accepted {
  if (kind.type === 'toggle') {
    const value = { true: true, false: false, '1': true, '0': false }[found];
    return acceptValue(kind, value ?? found);
  }
  if (kind.type === 'integer')
    return acceptValue(kind, DECIMAL.test(found) ? Number(found) : found);
  if (kind.type === 'list') {
    const items = found.split(',').map((item) => item.trim());
    return acceptValue(
      kind,
      items.filter((item) => item !== ''),
    );
  }
  return acceptValue(kind, found);
}

function canonical(kind: SettingKind, found: unknown): unknown {
  if (kind.type === 'list' && typeof found === 'string') return [found];
  if (kind.type === 'atoms' && Number.isSafeInteger(found)) return String(found);
  return found;
}

function fits(kind: SettingKind, value: unknown): boolean {
  switch (kind.type) {
    case 'text':
    case 'path':
      return isText(value);
    case 'hex':
      return isText(value) && value.length === kind.length && /^[0-9a-f]*$/.test(value);
    case 'atoms':
      return isText(value) && DECIMAL.test(value) && BigInt(value) <= U64_MAX;
    case 'toggle':
      return typeof value === 'boolean';
    case 'integer':
      return Number.isInteger(value) && kind.min <= Number(value) && Number(value) <= kind.max;
    case 'choice':
      return isText(value) && kind.values.includes(value);
    case 'list':
      return Array.isArray(value) && value.length <= kind.itemsMax && value.every(isText);
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= TEXT_LENGTH_MAX;
}

function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? typeof value;
  return json.length <= 80 ? json : `${json.slice(0, 77)}...`;
}
