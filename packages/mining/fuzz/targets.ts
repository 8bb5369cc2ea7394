/**
 * The decoders of the mining protocol as targets: what is accepted must encode and decode to the same again.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Target } from '../../protocol/fuzz/target.ts';
import { decodeFrame, encodeFrame } from '../src/core/wire/binary-frame.ts';
import { decodeLine, encodeLine } from '../src/core/wire/json-line.ts';
import { encodeMessage, MessageStream } from '../src/core/wire/message-stream.ts';
import type { Message } from '../src/core/wire/messages.ts';
import { SAMPLE_MESSAGES } from './sample-messages.ts';

const SHARE = 20;

function expectSame(found: Message, expected: Message): void {
  if (isDeepStrictEqual(found, expected)) return;
  throw new Error(`accepted as ${JSON.stringify(expected)}, but not a second time`);
}

const frames: Target = {
  name: 'mining_frame',
  share: SHARE,
  seeds: SAMPLE_MESSAGES.map((message) => encodeFrame(message).subarray(2)),
  run: (input) => {
    const again = encodeFrame(decodeFrame(input)).subarray(2);
    if (Buffer.compare(input, again) !== 0) throw new Error('accepted, but encodes to other bytes');
  },
};

const lines: Target = {
  name: 'mining_line',
  share: SHARE,
  seeds: SAMPLE_MESSAGES.map((message) => new TextEncoder().encode(encodeLine(message))),
  run: (input) => {
    const message = decodeLine(input);
    expectSame(decodeLine(encodeLine(message)), message);
  },
};

/** The bytes of a connection: both forms, cut in two at a place that the first byte of the input chooses. */
const streams: Target = {
  name: 'mining_stream',
  share: SHARE,
  seeds: (['svc-mining-v1', 'svc-mining-v2'] as const).map((protocol) =>
    Buffer.concat(SAMPLE_MESSAGES.map((message) => encodeMessage(message, protocol))),
  ),
  run: (input) => {
    const whole = [...new MessageStream().push(input)];
    const stream = new MessageStream();
    const middle = (input[0] ?? 0) % (input.length + 1);
    const parts = [input.subarray(0, middle), input.subarray(middle)];
    const cut = parts.flatMap((part) => [...stream.push(part)]);
    if (!isDeepStrictEqual(cut, whole))
      throw new Error('pieces give other messages than the whole');
  },
};

export const MINING_TARGETS: readonly Target[] = [frames, lines, streams];
