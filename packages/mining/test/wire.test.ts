import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  decodeFrame,
  decodeLine,
  encodeFrame,
  encodeLine,
  encodeMessage,
  type Message,
  MessageStream,
  PROTOCOLS,
  REFUSAL_NAMES,
  REFUSALS,
  refusalOfCode,
} from 'svc-mining';
import { SvcError } from 'svc-wasm/base';
import { anyMessage } from './samples.ts';

/** A frame carries the miner's part of a nonce alone. */
function asFrameCarries(message: Message): Message {
  return message.type === 'submit' ? { ...message, nonce: message.nonce.slice(0, 20) } : message;
}

test('[VER-04] svc-mining-v1 and its binary form svc-mining-v2 carry every message unchanged', () => {
  fc.assert(
    fc.property(anyMessage, (message) => {
      assert.deepEqual(decodeLine(encodeLine(message)), message);
      assert.deepEqual(decodeFrame(encodeFrame(message).subarray(2)), asFrameCarries(message));
    }),
    { numRuns: 500 },
  );
});

test('[VER-04] a stream in pieces of any size gives the same messages, and its first byte gives the form', () => {
  fc.assert(
    fc.property(
      fc.array(anyMessage, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(...PROTOCOLS),
      fc.integer({ min: 1, max: 700 }),
      (messages, protocol, size) => {
        const stream = new MessageStream();
        const bytes = Buffer.concat(messages.map((message) => encodeMessage(message, protocol)));
        const found: Message[] = [];
        for (let at = 0; at < bytes.length; at += size)
          found.push(...stream.push(bytes.subarray(at, at + size)));
        const expected = protocol === 'svc-mining-v2' ? messages.map(asFrameCarries) : messages;
        assert.deepEqual(found, expected);
        assert.equal(stream.protocol, protocol);
        assert.equal(stream.pending, 0);
      },
    ),
    { numRuns: 200 },
  );
});

test('a share is under 32 bytes in a frame, a job under 450', () => {
  const share = encodeFrame({ type: 'submit', id: 2 ** 32 - 1, job: 1, nonce: new Uint8Array(24) });
  assert.equal(share.length, 31);
  const job = encodeFrame({
    type: 'notify',
    job: 1,
    header: new Uint8Array(312),
    blockTarget: new Uint8Array(32),
    shareTarget: new Uint8Array(32),
    height: 1,
    anchorHeight: 1,
    expiresHeight: 97,
    period: 0,
    isClean: false,
  });
  assert.ok(job.length < 450, `${job.length} bytes`);
});

function refusalOf(bytes: Uint8Array, protocol?: (typeof PROTOCOLS)[number]): string {
  try {
    const count = [...new MessageStream(protocol).push(bytes)].length;
    return `${count} messages`;
  } catch (error) {
    if (error instanceof SvcError) return error.code;
    throw error;
  }
}

const line = (text: string) => new TextEncoder().encode(`${text}\n`);

test('bytes that are no message are refused by name, whatever they are', () => {
  const cases: readonly (readonly [string, Uint8Array, string])[] = [
    ['a line of a megabyte', new Uint8Array(1 << 20).fill(0x7b), 'bad_length'],
    ['a long line with an end', line(`{"method":"${'x'.repeat(5_000)}"}`), 'bad_length'],
    ['neither form', line('GET / HTTP/1.1'), 'bad_text'],
    ['no JSON', line('{'), 'bad_json'],
    ['no UTF-8', new Uint8Array([0x7b, 0xff, 0x0a]), 'bad_text'],
    ['an unknown method', line('{"id":1,"method":"mining.steal","params":{}}'), 'bad_text'],
    [
      'an unknown field',
      line('{"id":1,"method":"mining.authorize","params":{"x":1}}'),
      'unknown_field',
    ],
    [
      'a request without id',
      line('{"method":"mining.authorize","params":{"username":"a"}}'),
      'missing_field',
    ],
    [
      'an id that is a text',
      line('{"id":"1","method":"mining.authorize","params":{"username":"a"}}'),
      'bad_type',
    ],
    ['a repeated key', line('{"id":1,"id":2,"method":"mining.authorize","params":{}}'), 'bad_json'],
    [
      'control characters',
      line('{"id":1,"method":"mining.subscribe","params":{"agent":"\\u001b[2J"}}'),
      'bad_text',
    ],
    [
      'a short nonce',
      line('{"id":1,"method":"mining.submit","params":{"job_id":"00000001","nonce_hex":"00"}}'),
      'bad_hex',
    ],
    ['a frame of 64 KiB', new Uint8Array([0xff, 0xff, 1]), 'bad_text'],
    ['a frame above 4 KiB', new Uint8Array([0x10, 0x00, 1]), 'bad_length'],
    ['an empty frame', new Uint8Array([0, 0]), 'truncated'],
    ['an unknown frame', new Uint8Array([0, 1, 0xee]), 'out_of_range'],
    [
      'a frame with a byte too many',
      new Uint8Array([0, 0x21, 3, ...new Uint8Array(32)]),
      'trailing_bytes',
    ],
  ];
  for (const [name, bytes, code] of cases) assert.equal(refusalOf(bytes), code, name);
});

test('messages before a broken one are handed out first', () => {
  const message: Message = { type: 'authorize', id: 1, username: 'a.b' };
  const stream = new MessageStream();
  const found: Message[] = [];
  assert.throws(() => {
    for (const each of stream.push(new TextEncoder().encode(`${encodeLine(message)}\n{\n`)))
      found.push(each);
  }, SvcError);
  assert.deepEqual(found, [message]);
});

test('a refusal is known by its number, and every number by one name', () => {
  assert.equal(
    new Set(REFUSAL_NAMES.map((name) => REFUSALS[name].code)).size,
    REFUSAL_NAMES.length,
  );
  for (const name of REFUSAL_NAMES) assert.equal(refusalOfCode(REFUSALS[name].code), name);
  const text = encodeLine({ type: 'refused', id: 4, code: 22, message: 'caf\u00e9\n' });
  assert.deepEqual(JSON.parse(text), {
    jsonrpc: '2.0',
    id: 4,
    error: { code: 22, message: 'caf??', data: { reason: 'duplicate' } },
  });
  assert.deepEqual(decodeLine('{"id":null,"error":{"code":999,"message":"later"}}'), {
    type: 'refused',
    code: 999,
    message: 'later',
  });
});
