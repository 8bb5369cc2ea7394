/**
 * Runs benchmarks: all of them, or those whose names are given. `--row` shows only the rows whose names contain the text.
 *
 * Usage: npm run bench -- [name…] [--row TEXT] [--smoke] [--size N] [--keccak mixture|vectors]
 */
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { init } from 'svc-wasm';
import { KECCAK_FORMS, keccakForm } from 'svc-wasm/kernel';
import { type Bench, type BenchOptions, isWanted, report } from './harness.ts';

const SUFFIX = '.bench.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    smoke: { type: 'boolean', default: false },
    size: { type: 'string', default: '1' },
    row: { type: 'string' },
    keccak: { type: 'string' },
  },
});
const { smoke, row: wanted } = values;
const options: BenchOptions = { smoke, size: Number(values.size), row: wanted };
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
  const rows = (await bench(options)).filter((row) => isWanted(row.name, options));
  for (const row of rows) if (!report(row, options)) process.exitCode = 1;
}
