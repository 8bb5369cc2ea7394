/**
 * Records as the engine's files hold them: a key may have several versions, of which the newest counts, and the newest
 * may say that the record was deleted.
 */
import { KEY_SUFFIX_BYTES } from '../open/table-index.ts';

export interface Version {
  readonly key: Uint8Array;
  readonly sequence: bigint;
  /** Undefined where the record was deleted. */
  readonly value: Uint8Array | undefined;
}

/** Keys of records that may have been lost, both ends included. */
export interface Loss {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  /** What was found where, for the operator. */
  readonly reason: string;
}

const DELETION = 0;

export function isInternalKey(key: Uint8Array): boolean {
  return key.length > KEY_SUFFIX_BYTES && (key[key.length - KEY_SUFFIX_BYTES] as number) <= 1;
}

export function userKeyOf(internal: Uint8Array): Uint8Array {
  return internal.subarray(0, Math.max(0, internal.length - KEY_SUFFIX_BYTES));
}

export function versionOf(internal: Uint8Array, value: Uint8Array): Version {
  const at = internal.length - KEY_SUFFIX_BYTES;
  const suffix = Buffer.from(internal.buffer, internal.byteOffset + at, KEY_SUFFIX_BYTES);
  const isDeletion = suffix[0] === DELETION;
  const sequence = suffix.readBigUInt64LE() >> 8n;
  return { key: userKeyOf(internal), sequence, value: isDeletion ? undefined : value };
}

/** In the order of keys, the newest version of a key first. */
export function compareVersions(a: Version, b: Version): number {
  return Buffer.compare(a.key, b.key) || (a.sequence > b.sequence ? -1 : 1);
}
