/**
 * Untrusted text that a person will read: valid Unicode without characters that cannot be seen, or that
 * hide, turn around or break off what stands beside them.
 */
import { SvcError } from '../base/svc-error.ts';

/** Controls, line separators, and what Unicode says to draw nothing for; U+2800 is an empty Braille cell. */
const HIDING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * Where a joiner or selector is part of what is seen: within emoji, and between letters that join in Arabic
 * script. Each match is one such character.
 */
const JOINING =
  /(?<=\p{Emoji}\p{Emoji_Modifier}?)\ufe0f|(?<=\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?)\u200d(?=\p{Extended_Pictographic})|(?<=\p{Script=Arabic})\u200c(?=\p{Script=Arabic})/gu;

const encoder = new TextEncoder();

/** Refuses text over `bytesMax` bytes of UTF-8 or with hiding characters, and returns it. */
export function expectShownText(text: string, path: string, bytesMax: number): string {
  if (!text.isWellFormed()) throw new SvcError('bad_text', 'holds a lone surrogate', { path });
  const bytes = encoder.encode(text).length;
  if (bytes > bytesMax) {
    throw new SvcError('bad_text', `expected at most ${bytesMax} bytes, found ${bytes}`, { path });
  }
  const hiding = HIDING.exec(text.replaceAll(JOINING, ''));
  if (hiding !== null) {
    const code = hiding[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    throw new SvcError('bad_text', `holds U+${code}, a character that cannot be seen`, { path });
  }
  return text;
}
