/**
 * Text from strangers that a person will read: valid Unicode without characters that hide, turn
 * around or break off what stands beside them.
 */
import { SvcError } from '../base/svc-error.ts';

const HIDING = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

const encoder = new TextEncoder();

/** Refuses text over `bytesMax` bytes of UTF-8 or with hiding characters, and returns it. */
export function expectShownText(text: string, path: string, bytesMax: number): string {
  if (!text.isWellFormed()) throw new SvcError('bad_text', 'holds a lone surrogate', { path });
  const bytes = encoder.encode(text).length;
  if (bytes > bytesMax) {
    throw new SvcError('bad_text', `expected at most ${bytesMax} bytes, found ${bytes}`, { path });
  }
  const hiding = HIDING.exec(text);
  if (hiding !== null) {
    const code = hiding[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    throw new SvcError('bad_text', `holds U+${code}, a control or direction character`, { path });
  }
  return text;
}
