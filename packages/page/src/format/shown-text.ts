/**
 * Untrusted text, made safe to show: control characters become visible signs, and what changes the direction
 * of writing or cannot be seen is written out. It is only ever put into text nodes.
 */
const SIGNS_BEGIN = 0x2400;
const SPACE = 0x20;
/** Ranges of characters that steer how a text is shown, from and to. */
const HIDDEN: readonly (readonly [number, number])[] = [
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x180e, 0x180e],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe007f],
];

export function shownText(text: string): string {
  return Array.from(text, shownCharacter).join('');
}

function shownCharacter(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code < SPACE) return String.fromCharCode(SIGNS_BEGIN + code);
  const isHidden = HIDDEN.some(([from, to]) => code >= from && code <= to);
  return isHidden ? `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩` : character;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text that bytes in hexadecimal are; undefined if they are none. */
export function textOfHex(hex: string): string | undefined {
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  try {
    return shownText(decoder.decode(bytes));
  } catch {
    return undefined;
  }
}
