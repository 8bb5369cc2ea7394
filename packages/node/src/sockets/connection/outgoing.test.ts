import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { Outgoing, QUEUE_BYTES_MAX, QUEUE_FRAMES_MAX } from './outgoing.ts';

/** A stream whose reader takes what was written only when it is told to. */
class SlowStream extends Writable {
  readonly taken: number[] = [];
  #done: (() => void)[] = [];

  constructor() {
    super({ highWaterMark: 1 });
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.taken.push(chunk.readUInt16BE());
    this.#done.push(done);
  }

  async read(): Promise<void> {
    for (const done of this.#done.splice(0)) done();
    await new Promise(setImmediate);
  }
}

function numbered(number: number, bytes = 2): Buffer {
  const frame = Buffer.alloc(bytes);
  frame.writeUInt16BE(number);
  return frame;
}

test('256 frames wait for a client that does not read, one more is dropped', async () => {
  const stream = new SlowStream();
  let rooms = 0;
  const outgoing = new Outgoing(stream, () => rooms++);
  assert.ok(outgoing.ready);
  assert.ok(outgoing.offer(numbered(0)));
  assert.ok(!outgoing.ready);
  for (let i = 1; i <= QUEUE_FRAMES_MAX; i++) assert.ok(outgoing.offer(numbered(i)));
  assert.ok(!outgoing.offer(numbered(1_000)));
  outgoing.send(numbered(2_000));
  while (rooms === 0) await stream.read();
  const expected = Array.from({ length: QUEUE_FRAMES_MAX + 1 }, (_, index) => index);
  assert.deepEqual(stream.taken, [...expected, 2_000]);
  assert.ok(outgoing.ready && outgoing.offer(numbered(1)));
});

test('256 KiB wait for a client that does not read, one byte more is dropped', async () => {
  const stream = new SlowStream();
  const outgoing = new Outgoing(stream, () => {});
  outgoing.offer(numbered(0));
  assert.ok(outgoing.offer(numbered(1, QUEUE_BYTES_MAX - 10)));
  assert.ok(!outgoing.offer(numbered(2, 11)));
  assert.ok(outgoing.offer(numbered(3, 10)));
  assert.ok(!outgoing.offer(numbered(4)));
  await stream.read();
  assert.ok(outgoing.offer(numbered(5)), 'there is room for what has been taken');
  outgoing.clear();
  await stream.read();
  await stream.read();
  assert.deepEqual(stream.taken, [0, 1]);
});

test('a frame leaves at once, and those that follow at the same moment in one write', async () => {
  const writes: number[] = [];
  const stream = new Writable({
    writev: (chunks, done) => {
      writes.push(chunks.length);
      done();
    },
    write: (_chunk, _encoding, done) => {
      writes.push(1);
      done();
    },
  });
  const outgoing = new Outgoing(stream, () => {});
  outgoing.send(numbered(0));
  await Promise.resolve();
  outgoing.send(numbered(1));
  outgoing.send(numbered(2));
  assert.deepEqual(writes, [1]);
  await new Promise(setImmediate);
  assert.deepEqual(writes, [1, 2]);
  outgoing.send(numbered(3));
  assert.deepEqual(writes, [1, 2, 1]);
});
