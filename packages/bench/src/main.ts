/**
 * Runs benchmarks: all of them, or those whose names are given.
 *
 * Usage: npm run bench -- [name…] [--smoke] [--size N] [--keccak mixture|vectors]
 */
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { init } from 'svc-wasm';
import { KECCAK_FORMS, keccakForm } from 'svc-wasm/kernel';
import { type Bench, type BenchOptions, report } from './harness.ts';

const SUFFIX = '.bench.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    smoke: { type: 'boolean', default: false },
    size: { type: 'string', default: '1' },
    keccak: { type: 'string' },
  },
});
const options: BenchOptions = { smoke: values.smoke, size: Number(values.size) };
if (!(options.size > 0 && options.size <= 100))
  throw new Error(`--size ${values.size}: expected 0 to 100`);

const known = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length))
  .sort();
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0)
  throw new Error(`no bench ${unknown.join(', ')}; there are ${known.join(', ')}`);

const keccak = KECCAK_FORMS.find((form) => form === values.keccak);
if (values.keccak !== undefined && keccak === undefined)
  throw new Error(`--keccak ${values.keccak}: expected ${KECCAK_FORMS.join(' or ')}`);
await init(keccak === undefined ? {} : { keccak });
const reason = keccak === undefined ? 'chosen by the kernel' : 'asked for';
process.stdout.write(`${process.arch}, Keccak ${keccakForm()} (${reason})\n`);

for (const name of positionals.length > 0 ? positionals : known) {
  const { bench } = (await import(`./${name}${SUFFIX}`)) as { bench: Bench };
  for (const row of await bench(options)) if (!report(row, options)) process.exitCode = 1;
}
