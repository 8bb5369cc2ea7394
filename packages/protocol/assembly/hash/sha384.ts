/**
 * SHA-384 of FIPS 180-4, at once or in parts, over one static state. Only one hash is under way at a
 * time: `sha384` may be called by code that holds no unfinished `sha384Begin`.
 */
import { SHA384_INITIAL, sha512Block } from '../generated/sha512-block';

const BLOCK_BYTES: i32 = 128;
/** Where the length of the message begins in its last block, 16 bytes of which the first eight are zero. */
const LENGTH_AT: i32 = 112;
const DIGEST_BYTES: usize = 48;
/** The bit that ends every message (FIPS 180-4, section 5.1.2). */
const PADDING_BEGIN: u8 = 0x80;

const STATE: usize = memory.data(64, 16);
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
 * The hash of a message of two blocks that lies there with its padding, for messages of one fixed
 * length.
 */
export function sha384TwoBlocks(message: usize, out: usize): void {
  memory.copy(STATE, SHA384_INITIAL, 64);
  sha512Block(STATE, message);
  sha512Block(STATE, message + BLOCK_BYTES);
  writeState(out);
}

export function sha384(pointer: usize, length: i32, out: usize): void {
  sha384Begin();
  sha384Update(pointer, length);
  sha384End(out);
}
