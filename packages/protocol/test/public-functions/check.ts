/**
 * Checks of the public functions, written once and run in Node and in browsers: no test runner, no
 * Node modules. A check throws when something is wrong; what it returns must be the same everywhere.
 */
import type { SvcError } from '../../src/index.ts';

export type Svc = typeof import('../../src/index.ts');
export type Kernel = typeof import('../../src/kernel/index.ts');

export interface PublicCheck {
  /** The functions it shows, by the names the specification gives them. */
  readonly functions: readonly string[];
  /** Runs it; answers results that no randomness enters. */
  run(svc: Svc, kernel: Kernel): readonly string[];
}

export function equal(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [actual, expected].map((value) => JSON.stringify(value));
  if (found !== wanted) throw new Error(`${what}: expected ${wanted}, found ${found}`);
}

export function holds(condition: boolean, what: string): void {
  if (!condition) throw new Error(`${what}: does not hold`);
}

/** The call must be refused with this code. */
export function refuses(svc: Svc, code: string, call: () => unknown): void {
  try {
    call();
  } catch (error) {
    holds(error instanceof svc.SvcError, `an SvcError, not ${String(error)}`);
    equal((error as SvcError).code, code, 'code');
    return;
  }
  throw new Error(`expected a refusal with ${code}`);
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function unhex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Fields of a JSON document that a function answered. */
export function document(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}

/** Joins bytes, and text as ASCII. */
export function bytesOf(...parts: readonly (Uint8Array | string)[]): Uint8Array {
  return Uint8Array.from(
    parts.flatMap((part) => [
      ...(typeof part === 'string' ? new TextEncoder().encode(part) : part),
    ]),
  );
}

/** A little-endian integer of the given number of bytes. */
export function integer(value: bigint | number, bytes: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, i) =>
    Number((BigInt(value) >> BigInt(8 * i)) & 255n),
  );
}
