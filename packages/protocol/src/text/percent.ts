/**
 * Percent-encoding with strict UTF-8, for the values of a payment URI. `+` is a plus sign.
 */
import { SvcError } from '../base/svc-error.ts';
import { decodeUtf8, encodeUtf8 } from '../base/utf8.ts';

const PLAIN = /^[A-Za-z0-9\-._~!$'()*+,;:@/?]$/;
const NEVER_ENCODED = /^[A-Za-z0-9\-._~]$/;
const HEX_PAIR = /^[0-9A-Fa-f]{2}$/;

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
  return decodeUtf8(Uint8Array.from(bytes), path, 'bad_uri');
}

export function percentEncode(text: string): string {
  let encoded = '';
  for (const byte of encodeUtf8(text)) {
    const character = String.fromCharCode(byte);
    const pair = byte.toString(16).toUpperCase().padStart(2, '0');
    encoded += NEVER_ENCODED.test(character) ? character : `%${pair}`;
  }
  return encoded;
}
