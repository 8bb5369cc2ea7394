import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock, temporaryDirectory, until } from 'svc-base/testing';
import { toHex } from 'svc-wasm/base';
import { type LockedKey, SocketKeyLock } from './key-lock.ts';

const CHAIN = new Uint8Array(48).fill(7);
const IS_LINUX = process.platform === 'linux';

function randomKey(): LockedKey {
  const [id, secret] = [randomBytes(48), randomBytes(48)];
  return { id, proveHeld: (challenge) => createHmac('sha384', secret).update(challenge).digest() };
}

/** Whether the claim made its process the holder. */
async function claim(
  t: TestContext,
  key: LockedKey,
  folder: string,
  { log = SILENT_LOG, clock = new ManualClock() } = {},
): Promise<SocketKeyLock | undefined> {
  const lock = await SocketKeyLock.claim({ key, chainId: CHAIN, folder, log, clock });
  t.after(() => lock.release());
  return lock.acquire(key.id) ? lock : undefined;
}

function machineName(key: LockedKey, random: string): string {
  return `\0svc-key-${toHex(key.id).slice(0, 24)}-${toHex(CHAIN).slice(0, 8)}-${random}`;
}

/** Another user, who listens in the name of a key. */
async function impostor(
  t: TestContext,
  key: LockedKey,
  answer: (socket: Socket) => void,
): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    t.after(() => socket.destroy());
    answer(socket);
  });
  server.listen(machineName(key, randomBytes(8).toString('hex')));
  await once(server, 'listening');
  t.after(() => server.close());
  return server;
}

test('one holds a key, from its folder and from a copy of it, until the lock is released', async (t) => {
  const key = randomKey();
  const [folder, copy] = [temporaryDirectory(t), temporaryDirectory(t)];
  const first = await claim(t, key, folder);
  assert.ok(first);
  for (const place of [folder, copy]) assert.equal(await claim(t, key, place), undefined);
  assert.ok(await claim(t, randomKey(), copy), 'another key has a lock of its own');
  assert.equal(readdirSync(folder).length, 1);
  first.release();
  assert.deepEqual(readdirSync(folder), []);
  assert.ok(await claim(t, key, copy));
});

test('of two that begin at once at most one holds the key, and one that comes later can', async (t) => {
  const [key, folder] = [randomKey(), temporaryDirectory(t)];
  const both = await Promise.all([claim(t, key, folder), claim(t, key, folder)]);
  const holders = both.filter((lock) => lock !== undefined);
  assert.ok(holders.length <= 1);
  for (const lock of holders) lock.release();
  assert.ok(await claim(t, key, folder));
});

test('a folder whose path is longer than that of a socket may be has a lock too', async (t) => {
  if (!IS_LINUX) return;
  const folder = join(temporaryDirectory(t), 'a'.repeat(60), 'b'.repeat(60));
  const key = randomKey();
  assert.ok(await claim(t, key, folder));
  assert.equal(await claim(t, key, folder), undefined);
});

test('a process that listens in the name of a key without having it does not lock out its owner', async (t) => {
  if (!IS_LINUX) return;
  const [key, folder] = [randomKey(), temporaryDirectory(t)];
  let asked = 0;
  const told: object[] = [];
  const log = { ...SILENT_LOG, warn: (fields: object) => void told.push(fields) };
  const clock = new ManualClock();
  await impostor(t, key, (socket) => socket.end('not what was asked'));
  await impostor(t, key, (socket) => socket.destroy());
  await impostor(t, key, () => asked++);
  await impostor(t, key, (socket) => passOn(t, socket, key));
  const claiming = claim(t, key, folder, { log, clock });
  await until(() => asked > 0 && clock.pending === 1, 'all but the silent one to have answered');
  clock.advance(5_000);
  const lock = await claiming;
  assert.ok(lock);
  assert.deepEqual(told, [{ sockets: 4 }]);
  assert.equal(await claim(t, key, folder), undefined);
});

/** Challenges that were passed on, so that no listener passes them on to itself for ever. */
const passed = new Set<string>();

/** Passes the challenge to another listener under the name of the key, and gives its answer as its own. */
function passOn(t: TestContext, socket: Socket, key: LockedKey): void {
  const start = machineName(key, '').slice(1);
  socket.once('data', (challenge) => {
    if (passed.has(challenge.toString('hex'))) return;
    passed.add(challenge.toString('hex'));
    for (const [, name = ''] of readFileSync('/proc/net/unix', 'latin1').matchAll(/ @(\S+)$/gm)) {
      if (!name.startsWith(start)) continue;
      const other = connect(`\0${name}`, () => other.write(challenge));
      other.on('error', () => {});
      t.after(() => other.destroy());
      other.on('data', (answer) => void (answer.length === 48 && socket.write(answer)));
    }
  });
}

test('who was killed leaves the lock free at once, and a copy is free too', async (t) => {
  const [folder, copy] = [temporaryDirectory(t), temporaryDirectory(t)];
  const program = fileURLToPath(new URL('../../../node/test/signing-process.ts', import.meta.url));
  const byte = '253';
  const holder = spawn(process.execPath, [program, folder, byte, 'first'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  const key = { ...randomKey(), id: new Uint8Array(48).fill(Number(byte)) };
  assert.equal(await claim(t, key, folder), undefined, 'the folder is held by another process');
  holder.kill('SIGKILL');
  await once(holder, 'close');
  assert.ok(readdirSync(folder).some((name) => name.startsWith('svc-key-')));
  const lock = await claim(t, key, folder);
  assert.ok(lock);
  assert.equal(readdirSync(folder).filter((name) => name.startsWith('svc-key-')).length, 1);
  lock.release();
  assert.ok(await claim(t, key, copy));
});
