/**
 * Compiles and installs the kernel: the SIMD build where the engine has SIMD, else its scalar twin.
 * The entry provides the bytes, so that this file runs in any environment.
 */
import { expectInteger } from '../base/integer.ts';
import { SvcError } from '../base/svc-error.ts';
import { installKernel } from './current.ts';
import { expectKernelBytes, expectKernelExports } from './expect-kernel.ts';
import { KernelInstance } from './instance.ts';
import type { KeccakForm } from './keccak-form.ts';

export type KernelSource = () => Promise<Uint8Array<ArrayBuffer>>;

export interface KernelSources {
  readonly simd: KernelSource;
  readonly scalar: KernelSource;
}

export interface LoadOptions {
  /** How many expanded ML-DSA keys the kernel has room for, 36 KiB each. */
  readonly expandedKeySlots?: number;
  /** `false` takes the kernel without vector instructions even where the engine has them. */
  readonly simd?: boolean;
  /**
   * The kernel as a compiled module, for runtimes that compile no bytes. Only its exports can be checked: the
   * compiler of the file is responsible for its bytes.
   */
  readonly module?: WebAssembly.Module;
  /** The form of Keccak, for measuring: the kernel chooses what suits the processor, and all give the same bytes. */
  readonly keccak?: KeccakForm;
}

/** What an entry adds to the options: they too must not differ between calls. */
export type EntryOptions = Readonly<Record<string, unknown>> & LoadOptions;

const EXPANDED_KEY_SLOTS = 128;
const EXPANDED_KEY_SLOTS_MAX = 16384;
const DEFAULTS = { expandedKeySlots: EXPANDED_KEY_SLOTS, simd: true } as const;

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
    return instanceOf(options.module ?? (await compileBytes(source)), slots, options.keccak);
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw unavailable(`the kernel could not be loaded: ${String(error)}`, error);
  }
}

async function compileBytes(source: KernelSource): Promise<WebAssembly.Module> {
  const bytes = await source();
  expectKernelBytes(bytes);
  return WebAssembly.compile(bytes);
}

function instanceOf(
  module: WebAssembly.Module,
  slots: number,
  keccak: KeccakForm | undefined,
): KernelInstance {
  if (!(module instanceof WebAssembly.Module)) {
    throw new SvcError('bad_type', 'expected a WebAssembly.Module', { path: 'module' });
  }
  expectKernelExports(module);
  const probe = new KernelInstance(module, { extraBytes: 0 });
  const slotBytes = probe.exports.mldsaExpandedKeyBytes();
  return new KernelInstance(module, { extraBytes: slots * slotBytes, keccak });
}

interface Loading {
  readonly options: EntryOptions;
  readonly done: Promise<void>;
}

let loading: Loading | undefined;

/**
 * Loads the kernel once. Later calls wait for the first; one that asks for something else than the first had is
 * refused, and a failed load can be tried again.
 */
export function loadKernel(sources: KernelSources, options: EntryOptions = {}): Promise<void> {
  if (loading !== undefined) return waitForFirst(loading, options);
  const isSimd = options.simd !== false && hasSimd();
  const done = compileKernel(isSimd ? sources.simd : sources.scalar, options).then(
    installKernel,
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  loading = { options, done };
  return done;
}

/** Options that a later call leaves out ask for nothing; those that the first left out had their defaults. */
function waitForFirst({ options: first, done }: Loading, later: EntryOptions): Promise<void> {
  const before: EntryOptions = { ...DEFAULTS, ...first };
  for (const [name, value] of Object.entries(later)) {
    if (value === undefined || isSame(value, before[name])) continue;
    const message = `init was called before with another ${name}; one kernel serves the whole program`;
    return Promise.reject(new SvcError('already_initialized', message, { path: name }));
  }
  return done;
}

function isSame(value: unknown, before: unknown): boolean {
  return value === before || (value instanceof URL && String(value) === String(before));
}
