/**
 * Submits payments from a file as fast as it can, until it is killed. It says which ones were there when it
 * started and, after each answer, which one was acknowledged: `opened <id,id,…>`, then `accepted <id>`.
 */
import { readFileSync, writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { init } from 'svc-wasm';
import { Journal } from '../../../src/mempool/journal.ts';
import { CRASH_SETTING, readWires } from './crash-payments.ts';
import { createSetting } from './setting.ts';

// A process that is killed keeps nothing of what it has compiled; the next one starts with it.
flushCompileCache();
const [directory = '', wireFile = ''] = process.argv.slice(2);

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

await init();
const setting = await createSetting(CRASH_SETTING);
const wires = readWires(readFileSync(wireFile));
say('opening');
const pool = await setting.open({ store: await Journal.open(directory) });
say(`opened ${[...pool.all()].map(({ id }) => id).join()}`);

let next = 0;
async function submitAll(): Promise<void> {
  for (let wire = wires[next++]; wire !== undefined; wire = wires[next++]) {
    const admission = await pool.submit(wire, 'own');
    if (admission.type === 'refused') throw new Error(JSON.stringify(admission));
    if (admission.type === 'accepted') say(`accepted ${admission.id}`);
  }
}

await Promise.all(Array.from({ length: 8 }, submitAll));
say('done');
setInterval(() => {}, 1_000);
