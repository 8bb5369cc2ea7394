import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stream } from '@libp2p/interface';
import { ManualClock } from 'svc-base/testing';
import { concatBytes } from 'svc-wasm/base';
import { Budget } from './budget.ts';
import { FrameChannel } from './frame-channel.ts';
import { encodeFrame, type Frame, FrameParser } from './frame-parser.ts';
import { PeerFault } from './peer-fault.ts';
import { END, RequestClient, SilenceError, serveRequests } from './requests.ts';

const LIMITS = { 1: 300, 2: 0, 9: 20_000 };

function parse(bytes: Uint8Array, chunk: number): Frame[] {
  const parser = new FrameParser(LIMITS);
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; at += chunk) {
    parser.push(bytes.subarray(at, at + chunk));
    for (let frame = parser.next(); frame !== undefined; frame = parser.next()) frames.push(frame);
  }
  assert.equal(parser.isPartial, false);
  return frames;
}

test('frames come back whole however the stream cuts them', () => {
  const frames: Frame[] = [
    { kind: 1, payload: new Uint8Array(300).fill(7) },
    { kind: 2, payload: new Uint8Array(0) },
    { kind: 9, payload: new Uint8Array(20_000).map((_, index) => index) },
    { kind: 1, payload: Uint8Array.of(1) },
  ];
  const bytes = concatBytes(...frames.map(({ kind, payload }) => encodeFrame(kind, payload)));
  for (const chunk of [1, 2, 3, 127, 4_096, bytes.length])
    assert.deepEqual(parse(bytes, chunk), frames);
});

const WRONG: readonly [string, readonly number[]][] = [
  ['an unknown kind', [3]],
  ['a kind that objects have by nature', [255]],
  ['a payload over the limit of its kind', [1, 0xad, 0x02]],
  ['any payload where none is allowed', [2, 1]],
  ['a padded length', [1, 0x81, 0x00]],
  ['a length of five bytes', [9, 0xff, 0xff, 0xff, 0xff]],
];
for (const [name, bytes] of WRONG)
  test(`a frame with ${name} is a fault before its payload arrives`, () => {
    const parser = new FrameParser(LIMITS);
    parser.push(Uint8Array.from(bytes));
    assert.throws(() => parser.next(), PeerFault);
  });

test('a budget slows down a peer that exceeds bytes, messages or a kind', () => {
  let now = 0;
  const rates = {
    bytes: { perSecond: 1_000, burst: 2_000 },
    messages: { perSecond: 10, burst: 20 },
    kinds: { 5: { perSecond: 1, burst: 2 } },
  };
  const budget = new Budget(rates, () => now);
  assert.equal(budget.charge(1, 2_000), 0);
  assert.equal(budget.charge(1, 500), 500);
  now = 10_000;
  for (let i = 0; i < 20; i++) assert.equal(budget.charge(1, 1), 0);
  assert.equal(budget.charge(1, 1), 100);
  now = 20_000;
  assert.equal(budget.charge(5, 1), 0);
  assert.equal(budget.charge(5, 1), 0);
  assert.equal(budget.charge(5, 1), 1_000);
});

test('a frame that comes byte by byte costs no more than its length', () => {
  const limits = { 1: 1_000_000 };
  const bytes = encodeFrame(1, new Uint8Array(1_000_000));
  const parser = new FrameParser(limits);
  const started = process.cpuUsage();
  for (const byte of bytes) {
    parser.push(Uint8Array.of(byte));
    parser.next();
  }
  const { user } = process.cpuUsage(started);
  assert.equal(parser.isPartial, false);
  assert.ok(user < 2_000_000, `${user} microseconds`);
});

/** A stream that is not there, with what was sent over it. */
function openStream() {
  const stream = new EventTarget() as unknown as Stream;
  const sent: Uint8Array[] = [];
  Object.assign(stream, {
    status: 'open',
    abort: () => {},
    close: async () => {},
    pause: () => {},
    resume: () => {},
    send: (bytes: Uint8Array) => sent.push(bytes) > 0,
  });
  const push = (bytes: Uint8Array | readonly Uint8Array[]): void => {
    stream.dispatchEvent(Object.assign(new Event('message'), { data: bytes }));
  };
  return { stream, sent, push };
}

/** A channel at a time that the test decides. */
function channelAt() {
  const clock = new ManualClock();
  const { stream, sent, push } = openStream();
  const [frames, ends] = [[] as number[], [] as unknown[]];
  const channel = new FrameChannel(stream, {
    limits: LIMITS,
    clock,
    onFrame: (kind) => void frames.push(kind),
    onClose: (error) => ends.push(error),
  });
  const wait = (millis: number): void => clock.advance(millis);
  return { channel, sent, frames, ends, push, wait };
}

test('a frame has twenty seconds from its first byte, however busy the stream is', () => {
  const { frames, ends, push, wait } = channelAt();
  const frame = encodeFrame(1, new Uint8Array(100));
  const [head, tail] = [frame.subarray(0, 50), frame.subarray(50)];
  push(head);
  for (let second = 0; second < 60; second += 10) {
    wait(10_000);
    push(concatBytes(tail, head));
  }
  assert.deepEqual([frames.length, ends], [6, []], 'there was never a moment without a part');
  wait(19_999);
  assert.deepEqual(ends, []);
  wait(1);
  assert.match(String(ends[0]), /a frame was not whole after 20000 ms/);
});

const TWO_PARTS = [Uint8Array.of(1, 2), Uint8Array.of(3)];

test('frames of one turn go out in one message, in their order', async () => {
  const { channel, sent } = channelAt();
  channel.sendSoon(1, TWO_PARTS);
  channel.sendSoon(2, []);
  assert.deepEqual(sent, []);
  await new Promise(setImmediate);
  channel.sendSoon(1, []);
  channel.send(2, new Uint8Array(0));
  await new Promise(setImmediate);
  const whole = concatBytes(
    encodeFrame(1, Uint8Array.of(1, 2, 3)),
    encodeFrame(2, new Uint8Array(0)),
  );
  assert.deepEqual(sent, [whole, Uint8Array.of(1, 0), Uint8Array.of(2, 0)]);
});

test('frames that do not fit into one message of the muxer go out in several', async () => {
  const { channel, sent } = channelAt();
  const payload = new Uint8Array(20_000);
  for (let count = 0; count < 7; count++) channel.sendSoon(9, [payload]);
  assert.equal(sent.length, 2, 'full messages do not wait');
  await new Promise(setImmediate);
  const frames = sent.map(({ length }) => length / encodeFrame(9, payload).length);
  assert.deepEqual(frames, [3, 3, 1]);
});

test('a channel that ends sends what waits, whether it is closed or fails', () => {
  for (const error of [undefined, new Error('a fault')]) {
    const { channel, sent, ends } = channelAt();
    channel.sendSoon(1, TWO_PARTS);
    if (error === undefined) channel.close();
    else channel.abort(error);
    assert.deepEqual(sent, [encodeFrame(1, Uint8Array.of(1, 2, 3))]);
    assert.deepEqual(ends, [error]);
    assert.equal(channel.sendSoon(1, []), false);
  }
});

test('a frame keeps its bytes apart from those that came with it', () => {
  const parser = new FrameParser(LIMITS);
  const bytes = Buffer.from(concatBytes(encodeFrame(1, Uint8Array.of(7)), Uint8Array.of(1, 1)));
  parser.push(bytes);
  const frame = parser.next();
  bytes.fill(0);
  assert.deepEqual(frame, { kind: 1, payload: Uint8Array.of(7) });
});

test('a large frame that came in pieces fills its memory, and is not written over by what follows', () => {
  const parser = new FrameParser(LIMITS);
  const first = new Uint8Array(10_000).fill(1);
  const second = new Uint8Array(9_000).fill(2);
  const bytes = concatBytes(
    encodeFrame(9, first),
    encodeFrame(9, second),
    encodeFrame(2, NO_BYTES),
  );
  const payloads: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += 4_096) {
    parser.push(bytes.subarray(at, at + 4_096));
    for (let frame = parser.next(); frame !== undefined; frame = parser.next())
      payloads.push(frame.payload);
  }
  assert.deepEqual(payloads, [first, second, NO_BYTES]);
  for (const { length, buffer } of payloads.slice(0, 2)) assert.equal(buffer.byteLength, length);
});

test('what follows a frame that was not taken yet waits behind it', () => {
  const parser = new FrameParser(LIMITS);
  const frames = [9_000, 300, 8_000].map((length, at) => ({
    kind: 9,
    payload: new Uint8Array(length).fill(at + 1),
  }));
  const bytes = concatBytes(...frames.map(({ kind, payload }) => encodeFrame(kind, payload)));
  parser.push(bytes.subarray(0, 4_000));
  assert.equal(parser.next(), undefined);
  for (let at = 4_000; at < bytes.length; at += 6_000) parser.push(bytes.subarray(at, at + 6_000));
  assert.deepEqual(
    [parser.next(), parser.next(), parser.next(), parser.next()],
    [...frames, undefined],
  );
  assert.equal(parser.isPartial, false);
});

test('a message in several parts is as good as one', () => {
  const { frames, push } = channelAt();
  const bytes = concatBytes(encodeFrame(9, new Uint8Array(9_000)), encodeFrame(2, NO_BYTES), PART);
  push([bytes.subarray(0, 4_000), bytes.subarray(4_000, 8_000), bytes.subarray(8_000)]);
  assert.deepEqual(frames, [9, 2, 1]);
});

const NO_BYTES = new Uint8Array(0);
const PATIENCE = { silenceMillisMax: 5_000, answerMillisMax: 30_000 };
const PART = encodeFrame(1, Uint8Array.of(7));

/** A request whose answer comes when the test says. */
function requestAt() {
  const clock = new ManualClock();
  const { stream, push } = openStream();
  const client = new RequestClient(stream, LIMITS, clock);
  const answered = client.request(2, new Uint8Array(0), PATIENCE, () => {});
  return { clock, push, answered };
}

test('an answer that came while the process was stopped is read, and not taken for silence', async () => {
  const { clock, push, answered } = requestAt();
  push(PART);
  clock.stall(3_600_000);
  clock.advance(0);
  push(concatBytes(PART, encodeFrame(END, new Uint8Array(0))));
  await answered;
  assert.equal(clock.pending, 0);
});

test('a peer that is silent, or never ends its answer, is disconnected', async () => {
  const silent = requestAt();
  silent.push(PART);
  silent.clock.advance(5_000);
  await assert.rejects(silent.answered, SilenceError);
  const endless = requestAt();
  for (let second = 1; second < 30; second++) {
    endless.clock.advance(1_000);
    endless.push(PART);
  }
  assert.ok(endless.clock.pending > 0);
  endless.clock.advance(1_000);
  await assert.rejects(endless.answered, SilenceError);
  assert.deepEqual([silent.clock.pending, endless.clock.pending], [0, 0]);
});

const NO_LIMIT = { perSecond: 1_000_000, burst: 1_000_000 };

/** A request whose answer is frames of 30,000 bytes without end; `frames` has how many were made. */
function endlessAnswer() {
  const { stream, sent, push } = openStream();
  const state = { made: 0, ended: false, needsDrain: false };
  Object.defineProperty(stream, 'writableNeedsDrain', { get: () => state.needsDrain });
  serveRequests(stream, {
    limits: LIMITS,
    clock: new ManualClock(),
    budget: new Budget({ bytes: NO_LIMIT, messages: NO_LIMIT }, () => 0),
    onRequest: async (_, __, answer) => {
      try {
        while (state.made < 1_000) {
          state.made++;
          await answer(9, new Uint8Array(30_000));
          await new Promise(setImmediate);
        }
      } finally {
        state.ended = true;
      }
    },
    onClose: () => {},
  });
  push(encodeFrame(2, NO_BYTES));
  const event = (name: string, error?: Error): void =>
    void stream.dispatchEvent(Object.assign(new Event(name), { error }));
  const turns = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at++) await new Promise(setImmediate);
  };
  return { state, sent, event, turns };
}

for (const error of [new Error('reset'), undefined])
  test(`nothing more is made for a stream that has ended (${error?.message ?? 'with its connection'})`, async () => {
    const { state, event, turns } = endlessAnswer();
    await turns(4);
    const { made } = state;
    assert.ok(made > 1);
    event('close', error);
    await turns(4);
    assert.equal(state.ended, true);
    assert.ok(state.made <= made + 1, `${state.made - made} frames after the end`);
  });

test('an answer waits for its reader every time, not only the first', async () => {
  const { state, event, turns } = endlessAnswer();
  for (let round = 0; round < 3; round++) {
    await turns(4);
    state.needsDrain = true;
    await turns(4);
    const { made } = state;
    await turns(8);
    assert.equal(state.made, made, `round ${round}`);
    state.needsDrain = false;
    event('drain');
    await turns(4);
    assert.ok(state.made > made, `after round ${round}`);
  }
  state.needsDrain = true;
  await turns(4);
  event('close', new Error('reset'));
  await turns(4);
  assert.equal(state.ended, true);
});
