/**
 * What all nonces of a job share: the state of Keccak-512 after the first four blocks of `SVC_POW_V1` and the
 * header, with the constant words of the fifth block already absorbed. A card then needs one permutation for the
 * seed hash of a nonce. Its counter is word 2 of that block, which is bytes 6 to 13 of the nonce.
 */
import { keccakP } from '@noble/hashes/sha3.js';
import { powInput } from 'svc-wasm/kernel';

const RATE_BYTES = 72;
const WORDS_64 = 25;
const WHOLE_BLOCKS = 4;
/** The word of the last block that the card's counter replaces. */
const COUNTER_WORD = 2;
/** First byte of the nonce that the counter takes; the nonce begins ten bytes into the last block. */
export const COUNTER_AT_IN_NONCE = 6;
export const COUNTER_BYTES = 8;

/** 200 bytes, little-endian words: the state before the last permutation, the counter's word still zero. */
export function midstateOf(header: Uint8Array): Uint8Array {
  const input = powInput(header);
  const state = new Uint32Array(2 * WORDS_64);
  for (let block = 0; block < WHOLE_BLOCKS; block++) {
    absorb(state, input.subarray(block * RATE_BYTES, (block + 1) * RATE_BYTES));
    keccakP(state);
  }
  const last = new Uint8Array(RATE_BYTES);
  const rest = input.subarray(WHOLE_BLOCKS * RATE_BYTES);
  last.set(rest);
  // Keccak's own padding, not that of SHA-3: Ethash was made before the standard.
  last[rest.length] = 1;
  last[RATE_BYTES - 1] = 0x80;
  last.fill(0, 8 * COUNTER_WORD, 8 * COUNTER_WORD + COUNTER_BYTES);
  absorb(state, last);
  const bytes = new Uint8Array(8 * WORDS_64);
  const view = new DataView(bytes.buffer);
  state.forEach((word, at) => {
    view.setUint32(4 * at, word, true);
  });
  return bytes;
}

function absorb(state: Uint32Array, block: Uint8Array): void {
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  for (let at = 0; at < block.length / 4; at++)
    state[at] = (state[at] as number) ^ view.getUint32(4 * at, true);
}
