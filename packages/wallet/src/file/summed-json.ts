/**
 * One line of JSON whose last field is a checksum of what the line would be without it. A flipped bit in a limit or an
 * amount would otherwise be believed. It does not keep anyone from writing another line.
 */
import { crc32 } from 'node:zlib';

const SUMMED = /^(.+),"sum":"([0-9]+)"\}$/;

/** Adds the checksum to an object with at least one field. */
export function withSum(json: string): string {
  return `${json.slice(0, -1)},"sum":"${crc32(json)}"}`;
}

/** The JSON without its checksum; undefined if it is not what was written. */
export function withoutSum(text: string): string | undefined {
  const [, rest, sum] = SUMMED.exec(text) ?? [];
  const json = `${rest}}`;
  return sum === String(crc32(json)) ? json : undefined;
}
