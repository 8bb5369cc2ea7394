import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { Outgoing, QUEUE_BYTES_MAX, QUEUE_FRAMES_MAX } from './connection.ts';

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

test('several connections gather at the same moment, and one that sends while another is let go gathers anew', async () => {
  const writes: string[] = [];
  const streamOf = (name: string, onWrite: () => void = () => {}): Writable =>
    new Writable({
      writev: (chunks, done) => {
        writes.push(`${name} ${chunks.length}`);
        onWrite();
        done();
      },
      write: (_chunk, _encoding, done) => {
        writes.push(`${name} 1`);
        done();
      },
    });
  const second = new Outgoing(streamOf('second'), () => {});
  const third = new Outgoing(streamOf('third'), () => {});
  const onWrite = (): void => {
    for (const number of [3, 4, 5]) third.send(numbered(number));
  };
  const first = new Outgoing(streamOf('first', onWrite), () => {});
  for (const number of [0, 1, 2]) for (const each of [first, second]) each.send(numbered(number));
  assert.deepEqual(writes, ['first 1', 'second 1']);
  await new Promise(setImmediate);
  assert.deepEqual(writes.slice(2), ['first 2', 'third 1', 'second 2', 'third 2']);
});
