/**
 * The builds of the kernel for tests of the proof of work, compiled once.
 */
import { readFileSync } from 'node:fs';

function compile(name: string): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(new URL(`../build/${name}`, import.meta.url)));
}

export const BUILDS = [
  { build: 'SIMD', module: compile('svc.wasm') },
  { build: 'scalar', module: compile('svc.scalar.wasm') },
] as const;

export const SIMD = BUILDS[0].module;
export const SCALAR = BUILDS[1].module;
export const SHARED = compile('svc.pow.wasm');

/** The root of the project. */
export const ROOT = new URL('../../../', import.meta.url);
