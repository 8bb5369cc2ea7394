/**
 * The builds of the kernel that hash: one for a memory of a thread's own, one for a memory that threads share.
 */
import { readFile } from 'node:fs/promises';

async function compile(...names: readonly string[]): Promise<WebAssembly.Module> {
  for (const name of names) {
    const bytes = await readFile(new URL(import.meta.resolve(`svc-wasm/${name}`)));
    if (WebAssembly.validate(bytes)) return WebAssembly.compile(bytes);
  }
  throw new Error(`none of ${names.join(', ')} runs on this machine`);
}

let light: Promise<WebAssembly.Module> | undefined;

/** Compiled once in a process: threads share the code. */
export function compileLightModule(): Promise<WebAssembly.Module> {
  light ??= compile('svc.wasm', 'svc.scalar.wasm').catch((error: unknown) => {
    light = undefined;
    throw error;
  });
  return light;
}

export function compileSharedModule(): Promise<WebAssembly.Module> {
  return compile('svc.pow.wasm');
}
