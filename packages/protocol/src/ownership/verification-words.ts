/**
 * Words for reading a digest aloud. The six of an address catch a mistake or a swapped address, and differ between
 * networks; 66 bits are no identifier, so nothing is ever looked up by them.
 */
import { LABELS } from '../base/labels.ts';
import { NETWORKS } from '../base/networks.ts';
import { hashLabel } from '../kernel/hash-label.ts';
import { WORD_LIST } from '../keys/word-list.ts';
import { decodeNetworkAddress } from '../text/address.ts';

const WORDS = 6;
const BITS_PER_WORD = 11;

export function addressVerificationWords(address: string): string {
  const { network, bytes } = decodeNetworkAddress(address);
  return wordsOf(hashLabel(LABELS.words, Uint8Array.of(NETWORKS[network].code), bytes), WORDS);
}

/** The first bits of a digest as words. */
export function wordsOf(digest: Uint8Array, count: number): string {
  const words: string[] = [];
  for (let word = 0; word < count; word++) {
    let index = 0;
    for (let bit = BITS_PER_WORD * word; bit < BITS_PER_WORD * (word + 1); bit++) {
      index = (index << 1) | (((digest[bit >> 3] as number) >> (7 - (bit & 7))) & 1);
    }
    words.push(WORD_LIST[index] as string);
  }
  return words.join(' ');
}
