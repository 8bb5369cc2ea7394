import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { startDaemon } from './testing/daemon.ts';
import { until } from './testing/open-wallet.ts';

const NOWHERE = 'http://127.0.0.1:1';

test('a reader that falls behind loses events, is told so, and costs the daemon no memory', async (t) => {
  await init();
  const daemon = await startDaemon({ directory: temporaryDirectory(t), service: NOWHERE });
  t.after(() => daemon.close());
  const { wallet } = daemon.running;
  const [slow, quick] = [await daemon.socket(), await daemon.socket()];
  for (const socket of [slow, quick]) {
    await socket.call('subscribe', { events: ['settled', 'resync_required'] });
  }
  const tell = (count: number): void => {
    for (let at = 0; at < count; at++) {
      wallet.events.emit(wallet.state.events.add('settled', 1, { text: 'x'.repeat(2_000) }));
    }
  };
  slow.pause();
  for (let round = 0; round < 40; round++) {
    tell(200);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await until('the quick one has all or was told', () => {
    const last = quick.notifications.at(-1)?.params['sequence'];
    return last === wallet.state.events.last() || quick.of('resync_required').length > 0;
  });
  slow.resume();
  await until('told with an event that comes once it reads again', () => {
    if (slow.of('resync_required').length > 0) return true;
    tell(1);
    return false;
  });
  assert.equal(slow.of('resync_required')[0]?.params['reason'], 'stream_lagged');
  assert.ok(slow.of('settled').length < 8_000, `${slow.of('settled').length} events`);
  const missed = wallet.state.events.last() - 5;
  const again = await daemon.socket();
  await again.call('subscribe', { events: ['settled'], after_sequence: missed });
  await until('replayed', () => again.of('settled').length === 5);
  for (const socket of [slow, quick, again]) socket.close();
});
