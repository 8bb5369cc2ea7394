/**
 * Compiles and installs the kernel: the SIMD build where the engine has SIMD, else its scalar twin.
 * Where the bytes come from is the entry's affair, so that this file runs in any environment.
 */
import { expectInteger } from '../base/integer.ts';
import { SvcError } from '../base/svc-error.ts';
import { installKernel } from './current.ts';
import { expectKernelBytes, expectKernelExports } from './expect-kernel.ts';
import { KernelInstance } from './instance.ts';

export type KernelSource = () => Promise<Uint8Array<ArrayBuffer>>;

export interface KernelSources {
  readonly simd: KernelSource;
  readonly scalar: KernelSource;
}

export interface LoadOptions {
  /** How many expanded ML-DSA keys the kernel has room for, 36 KiB each. */
  readonly expandedKeySlots?: number;
}

const EXPANDED_KEY_SLOTS = 128;
const EXPANDED_KEY_SLOTS_MAX = 16384;

/** A module of one function with two vector instructions, to find out whether the engine has them. */
const SIMD_PROBE = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b],
  ...[0x03, 0x02, 0x01, 0x00],
  ...[0x0a, 0x0a, 0x01, 0x08, 0x00, 0x41, 0x00, 0xfd, 0x0f, 0xfd, 0x62, 0x0b],
]);

export function hasSimd(): boolean {
  return WebAssembly.validate(SIMD_PROBE);
}

function unavailable(message: string, cause?: unknown): SvcError {
  return new SvcError('kernel_unavailable', message, cause === undefined ? {} : { cause });
}

function expandedKeySlots({ expandedKeySlots: slots = EXPANDED_KEY_SLOTS }: LoadOptions): number {
  return expectInteger(slots, 'expandedKeySlots', 0, EXPANDED_KEY_SLOTS_MAX);
}

/** Compiles kernel bytes into an instance that is not installed. */
export async function compileKernel(
  source: KernelSource,
  options: LoadOptions = {},
): Promise<KernelInstance> {
  const slots = expandedKeySlots(options);
  try {
    const bytes = await source();
    await expectKernelBytes(bytes);
    const module = await WebAssembly.compile(bytes);
    expectKernelExports(module);
    const probe = new KernelInstance(module, { extraBytes: 0 });
    const slotBytes = probe.exports.mldsaExpandedKeyBytes();
    return new KernelInstance(module, { extraBytes: slots * slotBytes });
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw unavailable(`the kernel could not be loaded: ${String(error)}`, error);
  }
}

let loading: Promise<void> | undefined;

/** Loads the kernel once; later calls wait for the first, and a failed load can be tried again. */
export function loadKernel(sources: KernelSources, options: LoadOptions = {}): Promise<void> {
  loading ??= compileKernel(hasSimd() ? sources.simd : sources.scalar, options).then(
    installKernel,
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}
