/**
 * Recovery phrases: 24 English words of BIP-39 for 32 bytes of entropy, and no other length.
 * A phrase is read after NFKD, in any letter case and with any white space between words; what is
 * derived from it always comes from the one canonical form.
 */
import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { expectBytes } from '../base/bytes.ts';
import { kindOf } from '../base/kind-of.ts';
import { SvcError } from '../base/svc-error.ts';
import { WORD_LIST } from './word-list.ts';

const ENTROPY_BYTES = 32;
const WORDS = 24;
const CHARACTERS_MAX = 1024;
const PATH = 'mnemonic';

export function mnemonicFromEntropy(entropy: Uint8Array): string {
  return entropyToMnemonic(expectBytes(entropy, 'entropy', ENTROPY_BYTES), WORD_LIST);
}

export function mnemonicEntropy(words: string): Uint8Array {
  const canonical = canonicalMnemonic(words);
  try {
    return mnemonicToEntropy(canonical, WORD_LIST);
  } catch {
    // The library's own error may quote the words, so it is not passed on.
    throw new SvcError('bad_mnemonic', 'the checksum is wrong: a word is wrong or out of place', {
      path: PATH,
    });
  }
}

/** Lower case, one space between words, every word in the list. The checksum is not checked. */
export function canonicalMnemonic(words: string): string {
  if (typeof words !== 'string') {
    throw new SvcError('bad_type', `expected a string, found ${kindOf(words)}`, { path: PATH });
  }
  if (words.length > CHARACTERS_MAX || !words.isWellFormed()) {
    const expected = `expected at most ${CHARACTERS_MAX} characters of valid Unicode`;
    throw new SvcError('bad_mnemonic', expected, { path: PATH });
  }
  const list = words.normalize('NFKD').toLowerCase().trim().split(/\s+/);
  const found = list[0] === '' ? 0 : list.length;
  if (found !== WORDS) {
    throw new SvcError('bad_mnemonic', `expected ${WORDS} words, found ${found}`, { path: PATH });
  }
  const unknown = list.findIndex((word) => !WORD_LIST.includes(word));
  if (unknown >= 0) {
    throw new SvcError('bad_mnemonic', `word ${unknown + 1} of ${WORDS} is not in the list`, {
      path: PATH,
    });
  }
  return list.join(' ');
}
