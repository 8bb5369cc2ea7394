/**
 * Makes memories for the proof of work and instances of the kernel on them.
 */
import { SvcError } from '../base/svc-error.ts';
import type { PowExports } from './pow-exports.ts';
import { WASM_PAGE_BYTES } from './pow-layout.ts';

const PROBE_PAGES = 64;

export function newMemory(wasmPages: number, shared: boolean): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: wasmPages, maximum: wasmPages, shared });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const bytes = wasmPages * WASM_PAGE_BYTES;
    throw new SvcError('no_memory', `could not have ${bytes} bytes for the proof of work`, {
      cause: error,
    });
  }
}

export function instantiate(module: WebAssembly.Module, memory: WebAssembly.Memory): PowExports {
  if (!(module instanceof WebAssembly.Module)) {
    throw new SvcError('bad_type', 'expected a WebAssembly.Module', { path: 'module' });
  }
  try {
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    if (typeof exports['powAttach'] === 'function') return exports as unknown as PowExports;
  } catch (error) {
    if (!(error instanceof WebAssembly.LinkError)) throw error;
    throw new SvcError('kernel_unavailable', `the kernel does not fit: ${error.message}`, {
      cause: error,
    });
  }
  throw new SvcError('kernel_unavailable', 'the module holds no proof of work', {
    path: 'module',
  });
}

/** First byte that the kernel leaves to the host, from a throw-away instance. */
export function probeHeapBase(module: WebAssembly.Module, shared: boolean): number {
  return instantiate(module, newMemory(PROBE_PAGES, shared)).heapBase();
}
