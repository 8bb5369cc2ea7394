/**
 * One instance of the kernel with a memory laid out for the proof of work. The memory never grows,
 * so views stay valid for life. A trap ends this instance: what its memory holds is in doubt.
 */
import { SvcError } from '../base/svc-error.ts';
import type { PowExports } from './pow-exports.ts';
import { areaAt, type PowLayout } from './pow-layout.ts';
import { POW_HASH_BYTES, POW_ITEM_BYTES } from './pow-parameters.ts';

export interface PowHash {
  readonly mix: Uint8Array;
  readonly result: Uint8Array;
}

export class PowMemory {
  readonly layout: PowLayout;
  readonly #exports: PowExports;
  readonly #bytes: Uint8Array;
  #stopped = false;

  constructor(exports: PowExports, memory: WebAssembly.Memory, layout: PowLayout, thread: number) {
    const { cacheAt, cacheBytes, datasetAt, datasetBytes } = layout;
    this.layout = layout;
    this.#exports = exports;
    this.#bytes = new Uint8Array(memory.buffer);
    const dataset = datasetBytes === 0 ? 0 : datasetAt;
    exports.powAttach(areaAt(layout, thread), cacheAt, cacheBytes / POW_ITEM_BYTES, dataset);
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

  writeInput(...parts: readonly Uint8Array[]): number {
    const start = this.#exports.powInput();
    let at = start;
    for (const part of parts) {
      this.#bytes.set(part, at);
      at += part.length;
    }
    return at - start;
  }

  writeTargets(share: Uint8Array, block: Uint8Array): void {
    const at = this.#exports.powTargets();
    this.#bytes.set(share, at);
    this.#bytes.set(block, at + share.length);
  }

  readItem(at: number): Uint8Array {
    return this.#bytes.slice(at, at + POW_ITEM_BYTES);
  }

  readHash(): PowHash {
    const at = this.#exports.powResult();
    const middle = at + POW_HASH_BYTES;
    return {
      mix: this.#bytes.slice(at, middle),
      result: this.#bytes.slice(middle, middle + POW_HASH_BYTES),
    };
  }

  run<T>(call: (exports: PowExports) => T): T {
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
