/**
 * The entry for Node: reads the kernel from the file system. The only file of the package that may
 * import from `node:`.
 */
import { readFile } from 'node:fs/promises';
import type { LoadOptions } from '../kernel/load.ts';
import { loadKernel } from '../kernel/load.ts';
import { kernelUrl } from './kernel-url.ts';

export * from '../index.ts';

export interface InitOptions extends LoadOptions {
  /** `false` takes the kernel without vector instructions even where the engine has them. */
  readonly simd?: boolean;
}

/** Loads the kernel once. Later calls wait for the first; after a failure it can be tried again. */
export function init(options?: InitOptions): Promise<void> {
  const from = (simd: boolean) => () => readFile(kernelUrl(simd));
  const scalar = from(false);
  return loadKernel({ simd: options?.simd === false ? scalar : from(true), scalar }, options ?? {});
}
