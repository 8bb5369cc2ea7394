/**
 * The module's entry in Node: reads the kernel from the file system. The only file of the package
 * that may import from `node:`.
 */
import { readFile } from 'node:fs/promises';
import { type LoadOptions, loadKernel } from '../kernel/load.ts';
import { kernelUrl } from './kernel-url.ts';

/** Loads the kernel. Call it once and wait for it before any other function of the module. */
export function init(options: LoadOptions = {}): Promise<void> {
  return loadKernel(
    { simd: () => readFile(kernelUrl(true)), scalar: () => readFile(kernelUrl(false)) },
    options,
  );
}
