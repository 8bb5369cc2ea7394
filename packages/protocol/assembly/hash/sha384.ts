/**
 * SHA-384 of FIPS 180-4, at once or in parts, over one static state. Only one hash is under way at a
 * time: `sha384` may be called by code that holds no unfinished `sha384Begin`.
 */
import { SHA384_INITIAL, sha512Block } from '../generated/sha512-block';
import { sha512BlockPair } from '../generated/sha512-block-pair';
import { usesVectorsAlone } from './keccak-form';

const BLOCK_BYTES: i32 = 128;
/** Where the length of the message begins in its last block, 16 bytes of which the first eight are zero. */
const LENGTH_AT: i32 = 112;
const DIGEST_BYTES: usize = 48;
/** The bit that ends every message (FIPS 180-4, section 5.1.2). */
const PADDING_BEGIN: u8 = 0x80;

const STATE: usize = memory.data(64, 16);
/** The states of two messages, word i of both in vector i. */
const STATE_PAIR: usize = memory.data(128, 16);
const BUFFER: usize = memory.data(128, 16);
let buffered: i32 = 0;
let total: u64 = 0;

export function sha384Begin(): void {
  memory.copy(STATE, SHA384_INITIAL, 64);
  buffered = 0;
  total = 0;
}

export function sha384Update(pointer: usize, length: i32): void {
  total += <u64>length;
  if (buffered > 0) {
    const taken = min(length, BLOCK_BYTES - buffered);
    memory.copy(BUFFER + buffered, pointer, taken);
    buffered += taken;
    if (buffered < BLOCK_BYTES) return;
    sha512Block(STATE, BUFFER);
    pointer += taken;
    length -= taken;
  }
  for (; length >= BLOCK_BYTES; length -= BLOCK_BYTES, pointer += BLOCK_BYTES) sha512Block(STATE, pointer);
  memory.copy(BUFFER, pointer, length);
  buffered = length;
}

export function sha384End(out: usize): void {
  store<u8>(BUFFER + buffered, PADDING_BEGIN);
  buffered++;
  if (buffered > LENGTH_AT) {
    memory.fill(BUFFER + buffered, 0, BLOCK_BYTES - buffered);
    sha512Block(STATE, BUFFER);
    buffered = 0;
  }
  memory.fill(BUFFER + buffered, 0, BLOCK_BYTES - 8 - buffered);
  store<u64>(BUFFER, bswap<u64>(total << 3), BLOCK_BYTES - 8);
  sha512Block(STATE, BUFFER);
  writeState(out);
}

function writeState(out: usize): void {
  for (let i: usize = 0; i < DIGEST_BYTES; i += 8) store<u64>(out + i, bswap<u64>(load<u64>(STATE + i)));
}

/**
 * The hash of a message of so many blocks that is there with its padding, for messages of one fixed
 * length.
 */
export function sha384Blocks(message: usize, blocks: i32, out: usize): void {
  memory.copy(STATE, SHA384_INITIAL, 64);
  for (let i = 0; i < blocks; i++) sha512Block(STATE, message + i * BLOCK_BYTES);
  writeState(out);
}

/**
 * Whether two messages side by side in vectors are quicker than one after the other. So it is on x86, where a rotation is
 * an instruction of its own and the words of one message do not fit into registers; arm64 is as quick with words.
 */
@inline
export function hashesPairs(): bool {
  return ASC_FEATURE_SIMD && usesVectorsAlone();
}

/** The hashes of two messages of as many blocks each. */
export function sha384BlocksPair(first: usize, second: usize, blocks: i32, firstOut: usize, secondOut: usize): void {
  if (ASC_FEATURE_SIMD) {
    if (hashesPairs()) {
      hashPair(first, second, blocks, firstOut, secondOut);
      return;
    }
  }
  sha384Blocks(first, blocks, firstOut);
  sha384Blocks(second, blocks, secondOut);
}

function hashPair(first: usize, second: usize, blocks: i32, firstOut: usize, secondOut: usize): void {
  for (let i: usize = 0; i < 64; i += 8) v128.store(STATE_PAIR + 2 * i, v128.load_splat<u64>(SHA384_INITIAL + i));
  for (let i = 0; i < blocks; i++) sha512BlockPair(STATE_PAIR, first + i * BLOCK_BYTES, second + i * BLOCK_BYTES);
  for (let i: usize = 0; i < DIGEST_BYTES; i += 8) {
    store<u64>(firstOut + i, bswap<u64>(load<u64>(STATE_PAIR + 2 * i)));
    store<u64>(secondOut + i, bswap<u64>(load<u64>(STATE_PAIR + 2 * i, 8)));
  }
}

/** Makes the end of a message of so many blocks in zeroed memory: its bit behind `length` bytes, and its length. */
export function sha384Pad(message: usize, length: i32, blocks: i32): void {
  store<u8>(message + length, PADDING_BEGIN);
  store<u64>(message + blocks * BLOCK_BYTES - 8, bswap<u64>(<u64>length << 3));
}

export function sha384(pointer: usize, length: i32, out: usize): void {
  sha384Begin();
  sha384Update(pointer, length);
  sha384End(out);
}
