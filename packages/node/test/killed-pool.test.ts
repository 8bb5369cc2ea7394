/**
 * A real process takes blocks into its pool and is killed at random moments; what it had accepted is there
 * when the pool is opened again.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory } from 'svc-base/testing';
import { LevelStore } from 'svc-storage';
import { Anchors } from '../src/blocks/anchors.ts';
import { WorkBlockPool } from '../src/blocks/block-pool.ts';
import { ChainFixture } from '../src/testing/chain-fixture.ts';

const SCRIPT = fileURLToPath(new URL('accepting-process.ts', import.meta.url));
const KILLS = 5;

interface Life {
  readonly opened: number;
  readonly accepted: readonly string[];
}

/** Runs one life: it ends some milliseconds after so many blocks. */
async function live(directory: string, blocks: number, millis: number): Promise<Life> {
  const child = spawn(process.execPath, [SCRIPT, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const before = output.split('accepted ').length;
    output += chunk.toString('latin1');
    const after = output.split('accepted ').length;
    if (before <= blocks && after > blocks) setTimeout(() => child.kill('SIGKILL'), millis);
  });
  const [code, signal] = await once(child, 'close');
  assert.equal(signal, 'SIGKILL', `the process ended by itself with ${code}`);
  const lines = output.split('\n').slice(0, -1);
  const words = (word: string) =>
    lines.filter((line) => line.startsWith(word)).map((line) => line.slice(word.length + 1));
  return { opened: Number(words('opened')[0]), accepted: words('accepted') };
}

test('killed five times, the pool has lost no block that it accepted', async (t) => {
  const directory = temporaryDirectory(t);
  const accepted = new Set<string>();
  for (let kill = 0; kill < KILLS; kill++) {
    const life = await live(directory, 1 + Math.floor(Math.random() * 20), Math.random() * 20);
    assert.ok(life.opened >= accepted.size, `${life.opened} of ${accepted.size} were found`);
    for (const id of life.accepted) accepted.add(id);
  }
  const chain = await ChainFixture.create();
  const pool = await WorkBlockPool.open({
    chain,
    anchors: await Anchors.open(chain),
    mempool: { get: () => undefined },
    pow: { check: () => assert.fail('what is on the disk was checked before') },
    store: await LevelStore.open(join(directory, 'blocks')),
    clock: SYSTEM_CLOCK,
    log: SILENT_LOG,
    onFatal: assert.fail,
  });
  t.diagnostic(`${accepted.size} blocks accepted, ${pool.size} found`);
  assert.ok(accepted.size >= KILLS);
  for (const id of accepted) assert.equal(pool.get(id)?.block.id, id);
  await pool.close();
  await chain.close();
});
