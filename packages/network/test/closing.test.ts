/**
 * Connections that end while something is being done with them: no error may escape, since an uncaught one ends a
 * node.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { generateKeyPair } from '@libp2p/crypto/keys';
import type { Connection, Libp2p, Stream } from '@libp2p/interface';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { createHost } from '../src/host/create-host.ts';
import { Gater } from '../src/host/gater.ts';
import { HOST_DEFAULTS } from '../src/host/options.ts';
import { Traffic } from '../src/host/traffic.ts';
import { Bans } from '../src/peers/bans.ts';
import { FrameChannel } from '../src/wire/frame-channel.ts';
import { encodeFrame } from '../src/wire/frame-parser.ts';
import { LOOPBACK } from './testing/kit.ts';

const PROTOCOL = '/test/1';

async function host(t: TestContext): Promise<Libp2p> {
  const options = { ...HOST_DEFAULTS, ...LOOPBACK, directory: '' };
  const gater = new Gater(options, new Bans(SYSTEM_CLOCK));
  const made = await createHost(options, await generateKeyPair('Ed25519'), gater, new Traffic());
  await made.start();
  t.after(() => made.stop());
  return made;
}

async function connected(t: TestContext): Promise<{
  readonly near: Connection;
  readonly far: Promise<{ readonly stream: Stream; readonly connection: Connection }>;
}> {
  const [one, other] = [await host(t), await host(t)];
  const far = Promise.withResolvers<{ stream: Stream; connection: Connection }>();
  await other.handle(PROTOCOL, (stream, connection) => far.resolve({ stream, connection }));
  const [address] = other.getMultiaddrs();
  return { near: await one.dial(address ?? assert.fail()), far: far.promise };
}

/** The connection below the streams; closing it is what a broken socket does. */
function below(connection: Connection): { close(): Promise<void>; abort(error: Error): void } {
  const { maConn } = connection as unknown as {
    maConn: { close(): Promise<void>; abort(error: Error): void };
  };
  return maConn;
}

for (const way of ['close', 'abort'] as const) {
  test(`a frame that is handled while the connection ends (${way}) ends the channel and nothing else`, async (t) => {
    const { near, far } = await connected(t);
    const sent = await near.newStream(PROTOCOL);
    const { stream, connection } = await far;
    const [entered, handled, closed] = [0, 1, 2].map(() => Promise.withResolvers<void>());
    new FrameChannel(stream, {
      limits: { 1: 1_000_000 },
      clock: SYSTEM_CLOCK,
      onFrame: () => {
        entered?.resolve();
        return handled?.promise;
      },
      onClose: () => closed?.resolve(),
    });
    for (let i = 0; i < 4; i++) sent.send(encodeFrame(1, new Uint8Array(200_000)));
    await entered?.promise;
    if (way === 'close') void below(connection).close();
    else below(connection).abort(new Error('broken'));
    handled?.resolve();
    await closed?.promise;
  });

  test(`a stream that is opened while the connection ends (${way}) fails for its opener alone`, async (t) => {
    const { near } = await connected(t);
    const opening = near.newStream(PROTOCOL, { signal: AbortSignal.timeout(1_000) });
    if (way === 'close') void below(near).close();
    else below(near).abort(new Error('broken'));
    await assert.rejects(opening);
  });
}

test('a sender waits each time that the other side has stopped reading, not only the first', async (t) => {
  const { near, far } = await connected(t);
  const stream = await near.newStream(PROTOCOL);
  const channel = new FrameChannel(stream, {
    limits: {},
    clock: SYSTEM_CLOCK,
    onFrame: () => {},
    onClose: () => {},
  });
  channel.send(1, new Uint8Array(1));
  const { stream: other } = await far;
  other.addEventListener('message', () => {});
  for (const round of ['first', 'second']) {
    other.pause();
    for (let sent = 0; !stream.writableNeedsDrain && sent < 100; sent++) {
      channel.send(1, new Uint8Array(300_000));
      await new Promise(setImmediate);
    }
    let isDrained = false;
    const drained = Promise.resolve(channel.drained(600_000)).then(() => {
      isDrained = true;
    });
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    assert.equal(isDrained, false, `${round} time`);
    other.resume();
    await drained;
  }
  channel.abort(new Error('done'));
});
