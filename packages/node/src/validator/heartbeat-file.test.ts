import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { HeartbeatFile } from './validator-disk.ts';

await init();

test('a heartbeat is read as it was written, and not at all with a flipped bit in it', (t) => {
  const directory = temporaryDirectory(t);
  const file = new HeartbeatFile(directory);
  assert.equal(file.read(), undefined);
  const record = { epoch: 3, transactionId: '0b'.repeat(48), wire: Uint8Array.of(1, 2, 3) };
  file.write(record);
  assert.deepEqual(file.read(), record);
  const path = join(directory, 'heartbeat.json');
  const bytes = readFileSync(path);
  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
    writeFileSync(path, flipped);
    const found = file.read();
    if (found !== undefined) assert.deepEqual(found, record, `bit ${bit}`);
  }
});
