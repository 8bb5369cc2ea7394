import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { FatalStorageError } from '../src/errors.ts';
import { WriterThread } from '../src/key-value/writer-thread.ts';
import { stepLadder } from './testing/ladder-chain.ts';
import { climb, keepLargeGroup, ladderRoots, openLadder } from './testing/ladder-store.ts';

const CHILD = fileURLToPath(new URL('./testing/thread-crash-child.ts', import.meta.url));
/** From before the thread has begun to after it has written, on machines of any speed. */
const MICROS = [0, 1_000, 10_000, 100_000];

await init();

async function run(directory: string, micros: number): Promise<string> {
  const child = spawn(process.execPath, [CHILD, directory, String(micros)]);
  const [said, errors] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  assert.equal(child.signalCode, 'SIGKILL', errors);
  return said;
}

function last(said: string, what: RegExp): number {
  return Number([...said.matchAll(what)].at(-1)?.[1] ?? 0);
}

test('a process that is killed while its thread writes a group leaves all of the group or nothing', async (t) => {
  const directory = join(temporaryDirectory(t), 'store');
  let possible: number[] = [0];
  for (const micros of MICROS) {
    const said = await run(directory, micros);
    assert.match(said, /handed\n$/);
    const opened = last(said, /^opened (\d+)/gm);
    assert.ok(possible.includes(opened), `${opened} is none of ${possible.join()}`);
    possible = [last(said, /^committed (\d+)/gm), last(said, /^group (\d+)/gm)];
    assert.ok((possible[0] as number) > opened, 'a group was committed before');
  }
  const store = await openLadder(directory);
  const { height = -1, stateRoot } = store.head ?? {};
  await store.close();
  assert.ok(possible.includes(height), `${height} is none of ${possible.join()}`);
  assert.equal(stateRoot, (await ladderRoots(height))[height]);
});

test('a group that the thread cannot write is fatal, and the store opens at the group before', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openLadder(directory);
  await climb(store, 3);
  await keepLargeGroup(store);
  const { write } = WriterThread.prototype;
  // The engine refuses a record without a key, in the thread.
  const without = { type: 'del', key: null as unknown as Uint8Array } as const;
  t.mock.method(
    WriterThread.prototype,
    'write',
    function (this: WriterThread, ...[records, others, options]: Parameters<typeof write>) {
      return write.call(this, records, [...others, without], options);
    },
  );
  await assert.rejects(stepLadder(store), FatalStorageError);
  t.mock.restoreAll();
  await assert.rejects(stepLadder(store), FatalStorageError);
  assert.throws(() => store.reader(), FatalStorageError);
  await store.close().catch((error: unknown) => assert.ok(error instanceof FatalStorageError));
  const again = await openLadder(directory);
  assert.equal(again.head?.height, 3);
  await keepLargeGroup(again);
  const { height, stateRoot } = await stepLadder(again);
  assert.equal(stateRoot, (await ladderRoots(height))[height]);
  await again.close();
});
