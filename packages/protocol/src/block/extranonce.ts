/**
 * The extranonce of a work block: the miner's tag and 11 free bytes; `docs/protocol.md` 6.1. It is
 * read only from headers and bodies that the kernel has accepted.
 */
import { EXTRANONCE_BYTES, TAG_CHARACTERS_MAX } from '../../assembly/block/layout.ts';
import { expectBytes } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';

const EXTRANONCE_FREE_BYTES = EXTRANONCE_BYTES - 1 - TAG_CHARACTERS_MAX;
const TAG = new RegExp(`^[A-Za-z0-9 ._/:+@#()!-]{0,${TAG_CHARACTERS_MAX}}$`);

/** Refuses a tag with other characters than those allowed, or too many. */
export function expectMinerTag(tag: unknown, path = 'tag'): string {
  if (typeof tag === 'string' && TAG.test(tag)) return tag;
  const allowed = 'letters, digits, spaces and . _ - / : + @ # ( ) !';
  throw new SvcError('bad_text', `expected up to ${TAG_CHARACTERS_MAX} of ${allowed}`, { path });
}

export function encodeExtranonce(tag: string, free: Uint8Array): Uint8Array {
  const characters = new TextEncoder().encode(expectMinerTag(tag));
  const extranonce = new Uint8Array(EXTRANONCE_BYTES);
  extranonce[0] = characters.length;
  extranonce.set(characters, 1);
  extranonce.set(expectBytes(free, 'free', EXTRANONCE_FREE_BYTES), 1 + TAG_CHARACTERS_MAX);
  return extranonce;
}

/** The miner's tag in an extranonce. */
export function minerTag(extranonce: Uint8Array): string {
  const length = expectBytes(extranonce, 'extranonce', EXTRANONCE_BYTES)[0] as number;
  const tag = new TextDecoder().decode(extranonce.subarray(1, 1 + length));
  return expectMinerTag(tag, 'extranonce');
}
