/**
 * Which form of Keccak-f[1600] this instance uses, and whether it hashes pairs with SHA-384 (`sha384.ts`). Every form gives the same bytes; which one is
 * fastest depends on the processor.
 *
 * - The mixture permutes two states in vectors while it permutes two in words. A single state leaves
 *   its rotations to the next xor. Both suit arm64, which has 32 registers of either kind and rotates
 *   an operand of an xor for free.
 * - Vectors alone permute four states as two pairs, one pair after the other. A single state rotates
 *   as the specification has it. Both suit x86, where 16 registers of either kind do not hold both
 *   halves of the mixture, and where a rotation is an instruction.
 *
 * The module finds out by itself when it is instantiated: 0/0 has its sign bit set on x86 and on no
 * other processor. No clock is needed, and an engine that hides the sign costs speed alone.
 */
import { keccakFOwed } from '../generated/keccak-f';
import { keccakFPlain } from '../generated/keccak-f-plain';

export const KECCAK_MIXTURE: i32 = 0;
export const KECCAK_VECTORS: i32 = 1;

/** A zero that is in memory, so that no compiler divides it beforehand and by rules of its own. */
const ZERO: usize = memory.data(4, 4);
const SIGN_BIT: i32 = 31;

let form: i32 = isNanNegative() ? KECCAK_VECTORS : KECCAK_MIXTURE;

function isNanNegative(): bool {
  const zero = load<f32>(ZERO);
  return reinterpret<u32>(zero / zero) >> SIGN_BIT != 0;
}

/** The form in use: `KECCAK_MIXTURE` or `KECCAK_VECTORS`. */
export function keccakForm(): i32 {
  return form;
}

/** Uses another form from now on. No hash may be under way: each form lays out lanes differently. */
export function keccakUseForm(wanted: i32): void {
  form = wanted;
}

/** Permutes one state of 25 words. */
export function keccakF(state: usize): void {
  if (usesVectorsAlone()) keccakFPlain(state);
  else keccakFOwed(state);
}

@inline
export function usesVectorsAlone(): bool {
  return form == KECCAK_VECTORS;
}
