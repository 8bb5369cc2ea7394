/**
 * UTF-8 without repair: what is not well formed is refused, and a byte order mark is a character.
 */
import type { ErrorCode } from './error-codes.ts';
import { SvcError } from './svc-error.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes of a well-formed text. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

export function decodeUtf8(bytes: Uint8Array, path: string, code: ErrorCode = 'bad_text'): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new SvcError(code, 'not valid UTF-8', { path, cause });
  }
}
