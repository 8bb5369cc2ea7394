import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { ManualClock } from 'svc-base/testing';
import { Budget } from '../wire/budget.ts';
import { LINK } from './link-kinds.ts';
import { type FrameOwner, QUEUED_BYTES_MAX, SocketChannel } from './socket-channel.ts';

test('what is passed on leaves room in a slow link for signed messages, and these for those of the validator itself', () => {
  const clock = new ManualClock();
  const written: Uint8Array[] = [];
  const socket = Object.assign(new EventEmitter(), {
    writableLength: 0,
    write: (bytes: Uint8Array) => written.push(bytes),
  });
  const unlimited = { perSecond: 1e9, burst: 1e9 };
  const channel = new SocketChannel(socket as unknown as TLSSocket, {
    limits: {},
    clock,
    budget: new Budget({ bytes: unlimited, messages: unlimited }, () => clock.monotonic()),
    onFrame: () => assert.fail('a frame'),
    onClose: () => assert.fail('closed'),
  });
  const owners = ['unsigned', 'signed', 'own'] as const;
  const taken = () =>
    owners.filter((owner) => channel.send(LINK.message, new Uint8Array(9), owner));
  const cases: readonly [number, readonly FrameOwner[]][] = [
    [0, owners],
    [QUEUED_BYTES_MAX.unsigned, owners],
    [QUEUED_BYTES_MAX.unsigned + 1, ['signed', 'own']],
    [QUEUED_BYTES_MAX.signed + 1, ['own']],
    [QUEUED_BYTES_MAX.own + 1, []],
  ];
  for (const [queued, expected] of cases) {
    socket.writableLength = queued;
    assert.deepEqual(taken(), expected);
  }
  assert.equal(written.length, 3 + 3 + 2 + 1);
});
