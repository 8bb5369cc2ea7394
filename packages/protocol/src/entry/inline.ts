/**
 * The entry that carries the kernel inside the code, for places that can fetch no file beside it:
 * browser extensions, service workers, single-file pages. Larger than the others by a third of the
 * kernels, and it needs no set-up.
 */
import { SCALAR_KERNEL, SIMD_KERNEL } from '../../build/kernel-inline.ts';
import type { LoadOptions } from '../kernel/load.ts';
import { loadKernel } from '../kernel/load.ts';

export * from '../index.ts';

export type InitOptions = LoadOptions;

/**
 * Loads the kernel once. Later calls wait for the first, and are refused if they ask for other options; after a
 * failure it can be tried again.
 */
export function init(options?: InitOptions): Promise<void> {
  const from = (text: string) => async () => decodeBase64(text);
  return loadKernel({ simd: from(SIMD_KERNEL), scalar: from(SCALAR_KERNEL) }, { ...options });
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
