/**
 * Both builds of the kernel and both forms of Keccak, each as an instance of its own that is not installed, so that
 * a test runs on any of them without touching what other tests use.
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
    name: `${simd ? 'SIMD' : 'scalar'}, Keccak ${instance.keccak}`,
    instance,
    mlDsa65: mlDsa65With(() => instance),
  };
}

/** The SIMD build with either form of Keccak, and the scalar one with the form that it chooses here. */
export function kernelTwins(options: LoadOptions = {}): Promise<KernelTwin[]> {
  return Promise.all([
    kernelTwin(true, { ...options, keccak: 'mixture' }),
    kernelTwin(true, { ...options, keccak: 'vectors' }),
    kernelTwin(false, options),
  ]);
}
