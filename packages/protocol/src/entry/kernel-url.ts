/**
 * Where the kernels are. Each path is a literal inside `new URL(…, import.meta.url)`, the form by
 * which bundlers find a file; a release build rewrites the folder to its own.
 */
export function kernelUrl(simd: boolean): URL {
  return simd
    ? new URL('../../build/svc.wasm', import.meta.url)
    : new URL('../../build/svc.scalar.wasm', import.meta.url);
}
