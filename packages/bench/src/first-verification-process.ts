/**
 * A fresh process that loads the module, verifies one transaction and prints how long each took, in
 * nanoseconds. Arguments: the module's entry, and a file with the transaction.
 */
import { readFileSync } from 'node:fs';

const [entry, file] = process.argv.slice(2) as [string, string];
const { wire, previousOutputs, manifest } = JSON.parse(readFileSync(file, 'utf8'));
const { init, verifyTransaction } = (await import(entry)) as typeof import('svc-wasm');

const start = process.hrtime.bigint();
await init();
const loaded = process.hrtime.bigint();
verifyTransaction(Uint8Array.from(wire as number[]), previousOutputs, null, manifest);
const verified = process.hrtime.bigint();
const times = { init: Number(loaded - start), verification: Number(verified - loaded) };
process.stdout.write(JSON.stringify(times));
