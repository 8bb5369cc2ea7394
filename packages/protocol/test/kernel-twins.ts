/**
 * Both builds of the kernel, each as an instance of its own that is not installed, so that a test
 * runs on either without touching what other tests use.
 */
import { readFile } from 'node:fs/promises';
import { kernelUrl } from '../src/entry/kernel-url.ts';
import type { KernelInstance } from '../src/kernel/instance.ts';
import { compileKernel, type LoadOptions } from '../src/kernel/load.ts';
import { type MlDsa65, mlDsa65With } from '../src/kernel/ml-dsa.ts';

export interface KernelTwin {
  readonly name: string;
  readonly instance: KernelInstance;
  readonly mlDsa65: MlDsa65;
}

export async function kernelTwin(simd: boolean, options: LoadOptions = {}): Promise<KernelTwin> {
  const instance = await compileKernel(() => readFile(kernelUrl(simd)), options);
  return {
    name: simd ? 'SIMD' : 'scalar',
    instance,
    mlDsa65: mlDsa65With(() => instance),
  };
}

export function kernelTwins(options: LoadOptions = {}): Promise<KernelTwin[]> {
  return Promise.all([kernelTwin(true, options), kernelTwin(false, options)]);
}
