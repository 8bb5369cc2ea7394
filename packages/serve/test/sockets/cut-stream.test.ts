import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { init } from 'svc-wasm';
import { Addresses } from '../../src/documents/addresses.ts';
import type { Outlet } from '../../src/sockets/connection.ts';
import { CutFrames, CutStream, Replay } from '../../src/sockets/events.ts';
import { LadderChain } from './testing/ladder-chain.ts';

await init();

/** A client that takes a few frames and then no more until it is asked to. */
class SlowOutlet implements Outlet {
  readonly heights: number[] = [];
  ended: string | undefined;
  #room = 0;

  get ready(): boolean {
    return this.#room > 0;
  }

  read(frames: number): void {
    this.#room = frames;
  }

  reply(): void {}

  offer(frame: Buffer): boolean {
    this.#room--;
    const { data } = JSON.parse(frame.subarray(frame.indexOf('{')).toString());
    this.heights.push(data.cut.height);
    return true;
  }

  finish(_code: number, reason: string): void {
    this.ended = reason;
    this.#room = 0;
  }
}

async function start(chain: LadderChain, afterHeight?: number) {
  const frames = new CutFrames(new Addresses('development'));
  const replay = new Replay(chain, frames, SYSTEM_CLOCK);
  const outlet = new SlowOutlet();
  let failure: unknown;
  const stream = new CutStream(outlet, {
    chain,
    frames,
    replay,
    isWithholding: () => false,
    onClosed: () => {},
    onFailed: (error) => {
      failure = error;
    },
  });
  stream.start(afterHeight);
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
    assert.equal(failure, undefined);
  };
  return { frames, outlet, stream, until };
}

const UP_TO_150 = Array.from({ length: 150 }, (_, index) => index + 1);

test('a client that reads a frame now and then gets every cut once, while more come', async () => {
  const chain = await LadderChain.start();
  const { frames, outlet, stream, until } = await start(chain);
  await new Promise(setImmediate);
  let room = 1;
  while (outlet.heights.length < 150) {
    if (chain.head.height < 150) {
      const cut = await chain.step();
      if (cut.height % 3 === 0) frames.fromCommit(cut);
      stream.advance();
    }
    if (chain.head.height % 7 === 0 || chain.head.height === 150) {
      const wanted = Math.min(outlet.heights.length + room, chain.head.height);
      outlet.read(room);
      stream.room();
      await until(() => outlet.heights.length >= wanted);
      room = (room % 41) + 1;
    }
  }
  assert.deepEqual(outlet.heights, UP_TO_150);
});

test('a stream asks again for what came while it was reading', async () => {
  const chain = await LadderChain.start();
  await chain.climb(100);
  const { outlet, stream, until } = await start(chain, 0);
  outlet.read(1_000);
  stream.advance();
  for (let i = 0; i < 50; i++) {
    await chain.step();
    stream.advance();
  }
  await until(() => outlet.heights.length >= 150);
  assert.deepEqual(outlet.heights, UP_TO_150);
});

test('a stream whose next cut is gone from the store says that history is unavailable', async () => {
  const chain = await LadderChain.start();
  await chain.climb(10);
  const { outlet, stream, until } = await start(chain, 4);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const { reader } = chain;
  chain.reader = () => {
    const kept = reader.call(chain);
    const summary = kept.summary.bind(kept);
    kept.summary = async (height) => (height < 8 ? undefined : summary(height));
    return kept;
  };
  outlet.read(1);
  stream.room();
  await until(() => outlet.ended !== undefined);
  assert.equal(outlet.ended, 'history_unavailable');
});

test('past cuts are read 32 at a time, one client after another, with a pause between', async () => {
  const chain = await LadderChain.start();
  await chain.climb(70);
  const pauses: (() => void)[] = [];
  const clock = {
    ...SYSTEM_CLOCK,
    after: (_: number, end: () => void) => {
      pauses.push(end);
      return () => {};
    },
  };
  const replay = new Replay(chain, new CutFrames(new Addresses('development')), clock);
  const lengths: number[] = [];
  const read = async (height: number): Promise<void> => {
    lengths.push((await replay.read(height, () => true)).length);
  };
  const [first, second] = [read(1), read(1)];
  await first;
  while (pauses.length === 0) await new Promise(setImmediate);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual([lengths, pauses.length], [[32], 1]);
  pauses[0]?.();
  await second;
  assert.deepEqual(lengths, [32, 32]);
});
