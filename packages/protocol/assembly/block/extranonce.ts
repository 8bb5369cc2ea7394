/**
 * The extranonce: `tag length u8 | tag, padded with zeros to 20 bytes | 11 free bytes`.
 */
import { isZero } from '../codec/compare';
import { BAD_TAG_CHARACTER, BAD_TAG_PADDING, OK, TAG_TOO_LONG } from '../errors';
import { TAG_CHARACTERS_MAX } from './layout';

export function checkExtranonce(extranonce: usize): i32 {
  const length = <i32>load<u8>(extranonce);
  if (length > TAG_CHARACTERS_MAX) return TAG_TOO_LONG;
  const tag = extranonce + 1;
  for (let i = 0; i < length; i++) if (!isTagCharacter(load<u8>(tag + i))) return BAD_TAG_CHARACTER;
  return isZero(tag + length, TAG_CHARACTERS_MAX - length) ? OK : BAD_TAG_PADDING;
}

function isTagCharacter(character: u32): bool {
  const letter = character | 0x20;
  if (letter >= 0x61 && letter <= 0x7a) return true;
  if (character >= 0x30 && character <= 0x39) return true;
  switch (character) {
    case 0x20: // space
    case 0x21: // !
    case 0x23: // #
    case 0x28: // (
    case 0x29: // )
    case 0x2b: // +
    case 0x2d: // -
    case 0x2e: // .
    case 0x2f: // /
    case 0x3a: // :
    case 0x40: // @
    case 0x5f: // _
      return true;
    default:
      return false;
  }
}
