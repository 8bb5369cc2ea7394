import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { SILENT_LOG, Signal } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { until } from 'svc-base/testing';
import type { WebSocket } from 'ws';
import type { Wallet } from '../wallet.ts';
import { RpcSocket } from './rpc-socket.ts';
import { CallMeter } from './wallet-metrics.ts';

const BUFFERED_TOO_MUCH = 2 << 20;

/** A peer that reads what was sent to it when it is told to. */
class SlowPeer extends EventEmitter {
  readonly OPEN = 1;
  readonly readyState = 1;
  readonly sent: (() => void)[] = [];
  bufferedAmount = 0;
  isPaused = false;

  send(_: string, onWritten: () => void): void {
    this.bufferedAmount = BUFFERED_TOO_MUCH;
    this.sent.push(onWritten);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }
}

test('nothing is read of a caller that does not read its answers, until it has', async () => {
  const peer = new SlowPeer();
  const grant = { name: 'main', digest: Buffer.alloc(0), scopes: [], limits: null };
  const wallet = { events: new Signal(), clock: SYSTEM_CLOCK, log: SILENT_LOG };
  const access = { grant: { ...grant, isValid: () => true }, meter: new CallMeter() };
  new RpcSocket(peer as unknown as WebSocket, wallet as unknown as Wallet, access);
  for (const id of [1, 2]) {
    const call = { jsonrpc: '2.0', id, method: 'no_such_method' };
    peer.emit('message', Buffer.from(JSON.stringify(call)), false);
  }
  await until(() => peer.sent.length === 2, 'both are answered');
  assert.equal(peer.isPaused, true);
  peer.sent[0]?.();
  assert.equal(peer.isPaused, true, 'too much is still waiting');
  peer.bufferedAmount = 0;
  peer.sent[1]?.();
  assert.equal(peer.isPaused, false);
});
