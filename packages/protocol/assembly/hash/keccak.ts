/**
 * The Keccak sponge over one static state: SHAKE of FIPS 202 and the original Keccak that Ethash
 * uses. Only one sponge is under way at a time; `spongeWipe` ends one that has absorbed a secret.
 */
import { keccakF } from './keccak-form';

/** Bytes of a block: the state without twice the security strength (FIPS 202, sections 4 and 6.2). */
export const SHAKE128_RATE: i32 = 168;
export const SHAKE256_RATE: i32 = 136;
const KECCAK256_RATE: i32 = 136;
const KECCAK512_RATE: i32 = 72;

/** The state of Keccak-f[1600]: 25 lanes of 64 bits. */
const STATE_BYTES: i32 = 200;
/** What follows the message: the domain bits of SHAKE (1111), and the first bit of the padding pad10*1. */
const SHAKE_DOMAIN: u8 = 0x1f;
/** The original Keccak has no domain bits. */
const KECCAK_DOMAIN: u8 = 0x01;
/** The last bit of pad10*1, in the last byte of the block. */
const PADDING_END: u8 = 0x80;

const STATE: usize = memory.data(200, 16);
let rate: i32 = 0;
let position: i32 = 0;

export function spongeBegin(rateBytes: i32): void {
  memory.fill(STATE, 0, STATE_BYTES);
  rate = rateBytes;
  position = 0;
}

function xorInto(target: usize, source: usize, length: i32): void {
  const words = source + (length & ~7);
  const end = source + length;
  for (; source < words; source += 8, target += 8) store<u64>(target, load<u64>(target) ^ load<u64>(source));
  for (; source < end; source++, target++) store<u8>(target, load<u8>(target) ^ load<u8>(source));
}

/**
 * Absorbs bytes (FIPS 202, algorithm 8): adds them to the state block by block, permuting between
 * blocks.
 */
export function spongeAbsorb(pointer: usize, length: i32): void {
  while (length > 0) {
    const taken = min(length, rate - position);
    xorInto(STATE + position, pointer, taken);
    pointer += taken;
    length -= taken;
    position += taken;
    if (position == rate) {
      keccakF(STATE);
      position = 0;
    }
  }
}

export function spongeAbsorbByte(value: u8): void {
  store<u8>(STATE + position, load<u8>(STATE + position) ^ value);
  if (++position == rate) {
    keccakF(STATE);
    position = 0;
  }
}

/**
 * Pads with the domain and pad10*1 (FIPS 202, algorithm 9); `spongeBlock` or `spongeSqueeze` comes
 * next.
 */
export function spongeFinish(domain: u8): void {
  store<u8>(STATE + position, load<u8>(STATE + position) ^ domain);
  const last = STATE + rate - 1;
  store<u8>(last, load<u8>(last) ^ PADDING_END);
}

export function shakeFinish(): void {
  spongeFinish(SHAKE_DOMAIN);
}

/** Permutes and returns where the next `rate` bytes of output are until the next call. */
export function spongeBlock(): usize {
  keccakF(STATE);
  return STATE;
}

/** Writes the first `length` bytes of output; not to be called twice for one message. */
export function spongeSqueeze(out: usize, length: i32): void {
  while (length > 0) {
    const taken = min(length, rate);
    memory.copy(out, spongeBlock(), taken);
    out += taken;
    length -= taken;
  }
}

export function spongeWipe(): void {
  memory.fill(STATE, 0, STATE_BYTES);
}

export function shake256(pointer: usize, length: i32, out: usize, outLength: i32): void {
  spongeBegin(SHAKE256_RATE);
  spongeAbsorb(pointer, length);
  shakeFinish();
  spongeSqueeze(out, outLength);
}

export function keccak256(pointer: usize, length: i32, out: usize): void {
  spongeBegin(KECCAK256_RATE);
  spongeAbsorb(pointer, length);
  spongeFinish(KECCAK_DOMAIN);
  spongeSqueeze(out, 32);
}

export function keccak512(pointer: usize, length: i32, out: usize): void {
  spongeBegin(KECCAK512_RATE);
  spongeAbsorb(pointer, length);
  spongeFinish(KECCAK_DOMAIN);
  spongeSqueeze(out, 64);
}
