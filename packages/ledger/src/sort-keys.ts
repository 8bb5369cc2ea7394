/**
 * Sorts keys as `compareText` orders them. A full cut changes tens of thousands of records whose keys are hashes in hexadecimal: those
 * are sorted as numbers of their first digits, and as texts only where these are the same.
 */
import { compareText } from './identifiers.ts';

/** Fewer keys are sorted as texts. */
const NUMBERS_MIN = 32;
/** Digits that count: as many as leave bits in an exact number for the index of a key. */
const DIGITS = 8;
const PLACES = 2 ** 20;
/** Keys whose first digits are the same: with more of them in a row, as keys that begin with a height have, all are sorted as texts. */
const ALIKE_MAX = 16;

/** A new list of the keys in ascending order. */
export function sortedKeys(keys: Iterable<string>): string[] {
  const list = [...keys];
  if (list.length < NUMBERS_MIN || list.length > PLACES) return list.sort(compareText);
  const order = new Float64Array(list.length);
  for (let place = 0; place < list.length; place++) {
    const number = leadingNumber(list[place] as string);
    if (number < 0) return list.sort(compareText);
    order[place] = number * PLACES + place;
  }
  order.sort();
  const sorted: string[] = new Array(list.length);
  let last = -1;
  let alike = 0;
  for (let place = 0; place < sorted.length; place++) {
    const number = order[place] as number;
    const from = number % PLACES;
    sorted[place] = list[from] as string;
    const leading = (number - from) / PLACES;
    alike = leading === last ? alike + 1 : 0;
    if (alike >= ALIKE_MAX) return list.sort(compareText);
    if (alike > 0) moveDown(sorted, place);
    last = leading;
  }
  return sorted;
}

/** The first digits as a number, or a negative number if there are too few of them. */
function leadingNumber(key: string): number {
  if (key.length < DIGITS) return -1;
  let number = 0;
  for (let at = 0; at < DIGITS; at++) {
    const digit = digitOf(key.charCodeAt(at));
    if (digit < 0) return -1;
    number = number * 16 + digit;
  }
  return number;
}

/** The value of a lower-case digit, or a negative number for another character. */
function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 97 && code <= 102 ? code - 87 : -1;
}

/** Moves a key before all larger ones in front of it. */
function moveDown(sorted: string[], place: number): void {
  const key = sorted[place] as string;
  let to = place;
  for (; to > 0 && (sorted[to - 1] as string) > key; to--) sorted[to] = sorted[to - 1] as string;
  sorted[to] = key;
}
