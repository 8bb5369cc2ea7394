/**
 * One instance of the kernel with a memory laid out for the proof of work. The memory never grows,
 * so views stay valid for life. A trap ends this instance: its memory may be wrong.
 */
import { kindOf } from '../base/kind-of.ts';
import { SvcError } from '../base/svc-error.ts';
import type { PowExports } from './pow-exports.ts';
import { areaAt, type PowLayout } from './pow-layout.ts';
import {
  POW_HASH_BYTES,
  POW_INPUT_BYTES_MAX,
  POW_ITEM_BYTES,
  POW_TARGET_BYTES,
} from './pow-parameters.ts';

export interface PowHash {
  readonly mix: Uint8Array;
  readonly result: Uint8Array;
}

/** Refuses everything but a memory of the proof of work, and returns it. */
export function expectWork(value: unknown, path: string): PowMemory {
  if (PowMemory.is(value)) return value;
  const found = `expected a cache or dataset, found ${kindOf(value)}`;
  throw new SvcError('bad_type', found, { path });
}

export class PowMemory {
  readonly layout: PowLayout;
  readonly #exports: PowExports;
  readonly #bytes: Uint8Array;
  /** Small views of the thread's area: a view of gigabytes is slow to copy from. */
  readonly #input: Uint8Array;
  readonly #targets: Uint8Array;
  readonly #result: Uint8Array;
  #stopped = false;

  constructor(exports: PowExports, memory: WebAssembly.Memory, layout: PowLayout, thread: number) {
    const { cacheAt, cacheBytes, datasetAt, datasetBytes } = layout;
    this.layout = layout;
    this.#exports = exports;
    this.#bytes = new Uint8Array(memory.buffer);
    const dataset = datasetBytes === 0 ? 0 : datasetAt;
    exports.powAttach(areaAt(layout, thread), cacheAt, cacheBytes / POW_ITEM_BYTES, dataset);
    this.#input = new Uint8Array(memory.buffer, exports.powInput(), POW_INPUT_BYTES_MAX);
    this.#targets = new Uint8Array(memory.buffer, exports.powTargets(), 2 * POW_TARGET_BYTES);
    this.#result = new Uint8Array(memory.buffer, exports.powResult(), 2 * POW_HASH_BYTES);
  }

  /** Whether a value is such a memory. Unlike `instanceof`, this accepts no proxy. */
  static is(value: unknown): value is PowMemory {
    return typeof value === 'object' && value !== null && #exports in value;
  }

  /** The cache's bytes: a view, not a copy. */
  get cache(): Uint8Array {
    const { cacheAt, cacheBytes } = this.layout;
    return this.#bytes.subarray(cacheAt, cacheAt + cacheBytes);
  }

  /** The dataset's bytes, empty when there is only a cache: a view, to be saved or loaded. */
  get dataset(): Uint8Array {
    const { datasetAt, datasetBytes } = this.layout;
    return this.#bytes.subarray(datasetAt, datasetAt + datasetBytes);
  }

  writeInput(input: Uint8Array): void {
    this.#input.set(input);
  }

  writeTargets(share: Uint8Array, block: Uint8Array): void {
    this.#targets.set(share);
    this.#targets.set(block, POW_TARGET_BYTES);
  }

  /** The item that the kernel made at `powInput`. */
  readItem(): Uint8Array {
    return this.#input.slice(0, POW_ITEM_BYTES);
  }

  readHash(): PowHash {
    return {
      mix: this.#result.slice(0, POW_HASH_BYTES),
      result: this.#result.slice(POW_HASH_BYTES),
    };
  }

  invoke<T>(call: (exports: PowExports) => T): T {
    if (this.#stopped) {
      throw new SvcError('kernel_trap', 'this proof-of-work memory stopped before; make it anew');
    }
    try {
      return call(this.#exports);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
      this.#stopped = true;
      throw new SvcError('kernel_trap', `the kernel stopped: ${error.message}`, { cause: error });
    }
  }
}
