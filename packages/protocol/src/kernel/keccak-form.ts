/**
 * The forms of Keccak that the kernel has, by name. The kernel chooses one when it starts
 * (`assembly/hash/keccak-form.ts` says how); a test or a benchmark may ask for either. The results are the same.
 */
import { SvcError } from '../base/svc-error.ts';

/** In the order of the kernel's numbers. */
export const KECCAK_FORMS = ['mixture', 'vectors'] as const;

export type KeccakForm = (typeof KECCAK_FORMS)[number];

/** The kernel's number of a form; refuses everything else. */
export function keccakFormNumber(value: unknown): number {
  const index = (KECCAK_FORMS as readonly unknown[]).indexOf(value);
  if (index >= 0) return index;
  const path = 'keccak';
  throw new SvcError('out_of_range', `expected one of ${KECCAK_FORMS.join(', ')}`, { path });
}
