import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import type { Clock } from 'svc-base/pure';
import { connectPatiently, TRIES_MAX } from './connect-patiently.ts';

/** A system that refuses the first connections with a code. */
function systemOf(code: string, refusals: number): { open: () => Socket; opened: Socket[] } {
  const opened: Socket[] = [];
  const open = (): Socket => {
    const socket = new Socket();
    const isRefused = opened.push(socket) <= refusals;
    const error = Object.assign(new Error(code), { code });
    setImmediate(() => (isRefused ? socket.destroy(error) : socket.emit('connect')));
    return socket;
  };
  return { open, opened };
}

/** Every pause is over at once. */
const clock: Clock = {
  now: () => 0,
  monotonic: () => 0,
  after: (_, call) => {
    const timer = setImmediate(call);
    return () => clearImmediate(timer);
  },
};

test('a connection that too many wait before is tried again for a while, and no other', async () => {
  const crowded = systemOf('EAGAIN', 3);
  assert.equal(await connectPatiently('socket', crowded.open, clock), crowded.opened[3]);
  const full = systemOf('EAGAIN', TRIES_MAX);
  await assert.rejects(connectPatiently('socket', full.open, clock), { code: 'EAGAIN' });
  assert.equal(full.opened.length, TRIES_MAX);
  const gone = systemOf('ECONNREFUSED', 1);
  await assert.rejects(connectPatiently('socket', gone.open, clock), { code: 'ECONNREFUSED' });
  assert.equal(gone.opened.length, 1);
});
