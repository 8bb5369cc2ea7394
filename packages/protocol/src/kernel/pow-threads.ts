/**
 * One dataset for several threads: a shared memory and the miner's kernel (`svc.pow.wasm`) on it.
 * Making the threads is the caller's part: `createSharedPow` once, then `attachSharedPow` with the
 * same memory and module in every thread, each with an index of its own.
 */
import { expectInteger } from '../base/integer.ts';
import { SvcError } from '../base/svc-error.ts';
import { instantiate, newMemory, probeHeapBase } from './pow-instance.ts';
import {
  expectCacheBytes,
  expectDatasetBytes,
  type PowLayout,
  powLayout,
  WASM_PAGE_BYTES,
} from './pow-layout.ts';
import { PowMemory } from './pow-memory.ts';
import { POW_THREADS_MAX } from './pow-parameters.ts';

/** Marks a memory made here: "SVCP" and the version of the layout. */
const MARK = 0x50435653;
const VERSION = 1;

export interface SharedPowOptions {
  /** The miner's kernel, compiled from `svc.pow.wasm`. */
  readonly module: WebAssembly.Module;
  readonly cacheBytes: number;
  readonly datasetBytes: number;
}

/** Makes a shared memory with room for cache and dataset, and writes their sizes into it. */
export function createSharedPow(options: SharedPowOptions): WebAssembly.Memory {
  const cacheBytes = expectCacheBytes(options.cacheBytes);
  const datasetBytes = expectDatasetBytes(options.datasetBytes);
  const heapBase = probeHeapBase(options.module, true);
  const layout = powLayout(heapBase, cacheBytes, datasetBytes, POW_THREADS_MAX);
  const memory = newMemory(layout.wasmPages, true);
  const sizes = new Uint32Array(memory.buffer, heapBase, 4);
  sizes.set([MARK, VERSION, cacheBytes, datasetBytes]);
  return memory;
}

/** Joins a thread to the memory. No two threads may use the same index at a time. */
export function attachSharedPow(
  memory: WebAssembly.Memory,
  module: WebAssembly.Module,
  thread: number,
): PowMemory {
  expectInteger(thread, 'thread', 0, POW_THREADS_MAX - 1);
  if (!(memory instanceof WebAssembly.Memory)) {
    throw new SvcError('bad_type', 'expected a WebAssembly.Memory', { path: 'memory' });
  }
  const exports = instantiate(module, memory);
  return new PowMemory(exports, memory, readLayout(memory, exports.heapBase()), thread);
}

function readLayout(memory: WebAssembly.Memory, heapBase: number): PowLayout {
  const whole = heapBase + 16 <= memory.buffer.byteLength;
  const sizes = whole ? [...new Uint32Array(memory.buffer, heapBase, 4)] : [];
  const [mark, version, cacheBytes, datasetBytes] = sizes;
  if (mark !== MARK || version !== VERSION) {
    throw new SvcError('out_of_range', 'expected a memory made by createSharedPow', {
      path: 'memory',
    });
  }
  const layout = powLayout(
    heapBase,
    expectCacheBytes(cacheBytes),
    expectDatasetBytes(datasetBytes),
    POW_THREADS_MAX,
  );
  expectInteger(
    memory.buffer.byteLength / WASM_PAGE_BYTES,
    'memory',
    layout.wasmPages,
    layout.wasmPages,
  );
  return layout;
}
