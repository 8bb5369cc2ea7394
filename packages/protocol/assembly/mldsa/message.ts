/**
 * The message representative mu = H(tr || 0 || |context| || context || message): pure ML-DSA, FIPS
 * 204 algorithms 2, 3, 7 and 8. The context is at most 255 bytes, which the caller has checked.
 */
import { SHAKE256_RATE, shakeFinish, spongeAbsorb, spongeAbsorbByte, spongeBegin, spongeSqueeze } from '../hash/keccak';
import { MU_BYTES, TR_BYTES } from './params';

/** The byte before the context that distinguishes pure ML-DSA from the pre-hashed form. */
const PURE_DOMAIN: u8 = 0;

export function messageRepresentative(
  tr: usize,
  message: usize,
  messageLength: i32,
  context: usize,
  contextLength: i32,
  out: usize,
): void {
  spongeBegin(SHAKE256_RATE);
  spongeAbsorb(tr, TR_BYTES);
  spongeAbsorbByte(PURE_DOMAIN);
  spongeAbsorbByte(<u8>contextLength);
  spongeAbsorb(context, contextLength);
  spongeAbsorb(message, messageLength);
  shakeFinish();
  spongeSqueeze(out, MU_BYTES);
}
