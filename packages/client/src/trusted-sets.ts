/**
 * Trusted sets as text, of which the one that was read or written last is kept decoded: a reader who makes one proof after
 * the other begins each with the text that the one before ended with. The text of 64 validators has a quarter of a
 * megabyte. Nothing is trusted here: a text is taken for known only if every character of it is the same.
 */
import { parseTrustedSet, type TrustedSet, trustedSetJson } from 'svc-wasm/protocol';

let latest: { readonly json: string; readonly trusted: TrustedSet } | undefined;

/** As `parseTrustedSet`. */
export function readTrustedSet(json: string): TrustedSet {
  if (latest?.json !== json) latest = { json, trusted: parseTrustedSet(json) };
  return latest.trusted;
}

/** As `trustedSetJson`. */
export function writeTrustedSet(trusted: TrustedSet): string {
  latest = { json: trustedSetJson(trusted), trusted };
  return latest.json;
}
