import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Log, SILENT_LOG } from 'svc-base/pure';
import { temporaryDirectory } from 'svc-base/testing';
import { openBlockDatabase } from './block-store.ts';

const KEY = new Uint8Array(48).fill(7);

/** Blocks in a table file; opening the database again moves them there from the log. */
async function fill(directory: string): Promise<string> {
  for (let round = 0; round < 2; round++) {
    const store = await openBlockDatabase(directory, SILENT_LOG);
    const value = new Uint8Array(9_000);
    await store.write([{ type: 'put', key: KEY, value }], { sync: true });
    await store.close();
  }
  const table = readdirSync(directory).find((name) => name.endsWith('.ldb')) ?? '';
  return join(directory, table);
}

const DAMAGES: Readonly<Record<string, (table: string) => void>> = {
  'a table that is cut short': (table) => truncateSync(table, 4_000),
  'a flipped bit of a block': (table) => {
    const bytes = readFileSync(table);
    bytes[2_000] = (bytes[2_000] as number) ^ 1;
    writeFileSync(table, bytes);
  },
};

test('a damaged database of waiting blocks is set aside and told, and the node goes on', async (t) => {
  for (const [what, damage] of Object.entries(DAMAGES)) {
    const directory = join(temporaryDirectory(t), 'blocks');
    damage(await fill(directory));
    const told: object[] = [];
    const log: Log = { ...SILENT_LOG, error: (facts) => void told.push(facts) };
    const store = await openBlockDatabase(directory, log);
    assert.equal(store.getSync(KEY), undefined, what);
    await store.close();
    assert.match(JSON.stringify(told), /\.ldb is damaged.*waiting blocks/, what);
    assert.ok(existsSync(`${directory}.damaged`), what);
  }
});
