/**
 * Four Keccak states permuted at once, for hashing of four independent short inputs. With SIMD, lanes
 * 0 and 1 share vectors; lanes 2 and 3 stay in words, or share vectors too, as `keccak-form.ts` says.
 * Without SIMD, four states are permuted in turn. Inputs fit one block, so absorbing is setting words
 * of an empty state.
 */
import { keccakFFour } from '../generated/keccak-f-four';
import { keccakFPair } from '../generated/keccak-f-pair';
import { keccakF, usesVectorsAlone } from './keccak-form';

/** The state of Keccak-f[1600]: 25 lanes of 64 bits. */
const STATE_BYTES: usize = 200;
/** Two states, interleaved or in a row, up to the next multiple of 16. */
const PAIR_BYTES: usize = 416;
/** The longest block, of SHAKE128, up to the next multiple of 16. */
const BLOCK_BYTES: usize = 176;
/** The domain bits of SHAKE and the first bit of the padding pad10*1 (FIPS 202, sections 5.1 and 6.2). */
const SHAKE_DOMAIN: u64 = 0x1f;
/** The last bit of pad10*1, in the last word of the block. */
const LAST_BIT: u64 = 0x8000000000000000;

/** Lanes 0 and 1, then 2 and 3: each two interleaved if they share vectors, else in a row. */
const STATES: usize = memory.data(416 + 416, 16);
const SECOND_PAIR: usize = STATES + PAIR_BYTES;
/** The first words of lanes that share vectors, each lane in a row, after a permutation. */
const BLOCKS: usize = memory.data(4 * 176, 16);

/** Empties all lanes and ends their only block, of `rate` bytes. */
export function lanesBegin(rate: i32): void {
  memory.fill(STATES, 0, 2 * PAIR_BYTES);
  lanesSet(rate / 8 - 1, LAST_BIT);
}

/** Sets a word of the block in all four lanes. */
export function lanesSet(index: i32, value: u64): void {
  if (ASC_FEATURE_SIMD) v128.store(STATES + 16 * index, i64x2.splat(value));
  for (let lane: i32 = ASC_FEATURE_SIMD ? 2 : 0; lane < 4; lane++) laneSet(lane, index, value);
}

/** Whether a lane shares its vectors with a second one. */
@inline
function isInVectors(lane: i32): bool {
  return ASC_FEATURE_SIMD && (lane < 2 || usesVectorsAlone());
}

/** Where the state of a lane in words is. */
@inline
function stateInWords(lane: i32): usize {
  if (!ASC_FEATURE_SIMD) return STATES + STATE_BYTES * lane;
  return SECOND_PAIR + STATE_BYTES * (lane - 2);
}

/** Sets a word of the block in one lane. */
export function laneSet(lane: i32, index: i32, value: u64): void {
  if (isInVectors(lane)) store<u64>(STATES + PAIR_BYTES * (lane >> 1) + 16 * index + 8 * (lane & 1), value);
  else store<u64>(stateInWords(lane) + 8 * index, value);
}

/** Sets the word that ends the input: up to five bytes of it, then the padding of SHAKE. */
export function laneEnd(lane: i32, index: i32, value: u64, bytes: i32): void {
  laneSet(lane, index, value | (SHAKE_DOMAIN << (8 * bytes)));
}

/** Copies the first words of two lanes that share vectors to where `laneBlock` says. */
function separatePair(pair: usize, blocks: usize): void {
  for (let i: usize = 0; i < BLOCK_BYTES; i += 16) {
    const first = v128.load(pair + 2 * i);
    const second = v128.load(pair + 2 * i, 16);
    v128.store(blocks + i, v128.shuffle<i64>(first, second, 0, 2));
    v128.store(blocks + BLOCK_BYTES + i, v128.shuffle<i64>(first, second, 1, 3));
  }
}

export function lanesPermute(): void {
  if (!ASC_FEATURE_SIMD) {
    for (let lane: usize = 0; lane < 4; lane++) keccakF(STATES + STATE_BYTES * lane);
  } else if (usesVectorsAlone()) {
    lanesPermutePair();
    keccakFPair(SECOND_PAIR);
    separatePair(SECOND_PAIR, BLOCKS + 2 * BLOCK_BYTES);
  } else {
    keccakFFour(STATES, SECOND_PAIR);
    separatePair(STATES, BLOCKS);
  }
}

/** Permutes lanes 0 and 1 only. */
export function lanesPermutePair(): void {
  if (ASC_FEATURE_SIMD) {
    keccakFPair(STATES);
    separatePair(STATES, BLOCKS);
  } else {
    keccakF(STATES);
    keccakF(STATES + STATE_BYTES);
  }
}

/** Where the output of a lane is until the next permutation. */
export function laneBlock(lane: i32): usize {
  return isInVectors(lane) ? BLOCKS + BLOCK_BYTES * lane : stateInWords(lane);
}

export function lanesWipe(): void {
  memory.fill(STATES, 0, 2 * PAIR_BYTES);
  memory.fill(BLOCKS, 0, 4 * BLOCK_BYTES);
}
