/**
 * One line of JSON whose last field is a checksum of what the line would be without it. A flipped bit in a limit or an
 * amount would otherwise be believed. It keeps nobody from writing another line.
 */
import { crc32 } from 'node:zlib';

const NAME = '"sum"';
const SUMMED = /^(.+),"sum":"([0-9]+)"\}$/;

/** Adds the checksum to an object with at least one field. */
export function withSum(json: string): string {
  return `${json.slice(0, -1)},${NAME}:"${crc32(json)}"}`;
}

/** The JSON without its checksum, or as it is if the release that wrote it added none; undefined if it is not what was written. */
export function withoutSum(text: string): string | undefined {
  if (!text.includes(NAME)) return text;
  const [, rest, sum] = SUMMED.exec(text) ?? [];
  const json = `${rest}}`;
  return sum === String(crc32(json)) ? json : undefined;
}
