/**
 * SHA-384 through the host's function beside OpenSSL through Node's one-shot function.
 */
import { hash } from 'node:crypto';
import { init } from 'svc-wasm';
import { sha384 } from 'svc-wasm/kernel';
import { type BenchOptions, compare, type Row } from './harness.ts';

const CALLS = 100;

function repeat(call: () => unknown): () => void {
  return () => {
    for (let i = 0; i < CALLS; i++) call();
  };
}

function row(length: number, limit: number, options: BenchOptions): Row {
  const bytes = new Uint8Array(length).map((_, i) => i * 7);
  const peerCall = () => hash('sha384', bytes, 'buffer');
  return compare(
    {
      name: `sha384 of ${length} bytes`,
      ours: { name: 'kernel, copies included', run: repeat(() => sha384(bytes)) },
      peer: { name: "crypto.hash('sha384', bytes, 'buffer')", run: repeat(peerCall) },
      limit,
      operations: 20,
      calls: CALLS,
    },
    options,
  );
}

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  return [row(96, 2, options)];
}
