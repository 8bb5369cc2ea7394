import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { ManualClock, until } from 'svc-base/testing';
import { NodeSource } from './node-source.ts';

test('a node that does not answer is tried every two seconds and reported with growing pauses', async (t) => {
  let tries = 0;
  const server = createServer((socket) => {
    tries++;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const clock = new ManualClock();
  const { port } = server.address() as AddressInfo;
  const source = new NodeSource({
    nodes: [new URL(`http://127.0.0.1:${port}`)],
    payout: '',
    tag: '',
    noncePrefix: new Uint8Array(4),
    clock,
  });
  t.after(() => source.close());
  const told: string[] = [];
  source.events.on(({ type }) => void told.push(`${clock.monotonic() / 1_000} ${type}`));
  source.start();
  for (let wanted = 1; wanted <= 31; wanted++) {
    await until(() => clock.pending > 0 && tries === wanted, `try ${wanted}`);
    clock.advance(2_000);
  }
  const times = [0, 8, 24, 56];
  assert.deepEqual(
    told,
    times.flatMap((at) => [`${at} connecting`, `${at} lost`]),
  );
});
