/**
 * Percent-encoding with strict UTF-8, for the values of a payment URI. `+` is a plus sign.
 */
import { SvcError } from '../base/svc-error.ts';

const PLAIN = /^[A-Za-z0-9\-._~!$'()*+,;:@/?]$/;
const HEX_PAIR = /^[0-9A-Fa-f]{2}$/;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function percentDecode(text: string, path: string): string {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '%') {
      const pair = text.slice(at + 1, at + 3);
      if (!HEX_PAIR.test(pair)) {
        throw new SvcError('bad_uri', `expected two hexadecimal digits after '%' at ${at}`, {
          path,
        });
      }
      bytes.push(Number.parseInt(pair, 16));
      at += 2;
    } else if (PLAIN.test(character)) {
      bytes.push(text.charCodeAt(at));
    } else {
      throw new SvcError('bad_uri', `character ${at} must be percent-encoded`, { path });
    }
  }
  try {
    return decoder.decode(Uint8Array.from(bytes));
  } catch (cause) {
    throw new SvcError('bad_uri', 'not valid UTF-8', { path, cause });
  }
}

export function percentEncode(text: string): string {
  let encoded = '';
  for (const byte of encoder.encode(text)) {
    const character = String.fromCharCode(byte);
    const pair = byte.toString(16).toUpperCase().padStart(2, '0');
    encoded += /[A-Za-z0-9\-._~]/.test(character) ? character : `%${pair}`;
  }
  return encoded;
}
