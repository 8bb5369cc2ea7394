import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { height, isWellFormed, NIL, round, type UnsignedMessage } from 'svc-consensus/machine';
import { fromHex, SvcError, toHex } from 'svc-wasm/base';
import { FrameSplitter, framed } from './frame-splitter.ts';
import {
  decodeAnswer,
  decodeRequest,
  encodeAnswer,
  encodeRequest,
  FRAME_BYTES_MAX,
  type SignerAnswer,
  type SignerRequest,
} from './frames.ts';

const ID = fc.uint8Array({ minLength: 48, maxLength: 48 });
const NAME = fc.string({ unit: 'grapheme-ascii', maxLength: 64 });
const SAFE = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const U32 = fc.nat({ max: 0xffff_ffff });

const MESSAGE = fc
  .record({
    kind: fc.constantFrom('proposal', 'prevote', 'precommit'),
    height: SAFE.map(height),
    round: fc.nat({ max: 1_000 }).map(round),
    validRound: fc.integer({ min: -1, max: 999 }).map(round),
    value: fc.option(ID.map(toHex), { nil: NIL }),
    validatorIndex: fc.constant(0),
  })
  .map((message) => ({ ...message }) as UnsignedMessage)
  .filter(isWellFormed);

const REQUEST: fc.Arbitrary<SignerRequest> = fc.oneof(
  fc.record({
    type: fc.constant('ask' as const),
    version: fc.nat({ max: 255 }),
    chainId: ID,
    name: NAME,
  }),
  fc.record({ type: fc.constant('keep' as const), lease: SAFE }),
  fc.record({
    type: fc.constant('sign' as const),
    lease: SAFE,
    id: U32,
    message: MESSAGE,
    setId: ID,
  }),
  fc.record({
    type: fc.constant('silence' as const),
    lease: SAFE,
    id: U32,
    silentThrough: SAFE,
    stopped: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('heartbeat' as const),
    lease: SAFE,
    id: U32,
    manifest: fc.string({ maxLength: 200 }),
    body: fc.uint8Array({ maxLength: 300 }),
  }),
);

const PUBLIC_KEY = fc.uint8Array({ minLength: 1_952, maxLength: 1_952 });

const ANSWER: fc.Arbitrary<SignerAnswer> = fc.oneof(
  fc.record({
    type: fc.constant('granted' as const),
    lease: SAFE,
    publicKey: PUBLIC_KEY,
    record: fc.uint8Array({ maxLength: 300 }),
  }),
  fc.record({ type: fc.constant('held' as const), publicKey: PUBLIC_KEY, holder: NAME }),
  fc.record({ type: fc.constant('kept' as const), lease: SAFE }),
  fc.record({
    type: fc.constant('signed' as const),
    id: U32,
    signature: fc.uint8Array({ minLength: 3_309, maxLength: 3_309 }),
  }),
  fc.record({ type: fc.constant('done' as const), id: U32 }),
  fc.record({
    type: fc.constant('refused' as const),
    id: U32,
    reason: fc.constantFrom('height_regression', 'lease_lost', 'record_is_final'),
  }),
);

test('what was encoded is decoded as it was, and no frame is longer than the limit', () => {
  fc.assert(
    fc.property(REQUEST, (given) => {
      const request = { ...given };
      const bytes = encodeRequest(request);
      assert.deepEqual(decodeRequest(bytes), request);
      assert.ok(bytes.length <= FRAME_BYTES_MAX);
    }),
  );
  fc.assert(
    fc.property(ANSWER, (given) => {
      const answer = { ...given };
      const bytes = encodeAnswer(answer);
      assert.deepEqual(decodeAnswer(bytes), answer);
      assert.ok(bytes.length <= FRAME_BYTES_MAX);
    }),
  );
});

/** Decoded frames encode to the same bytes, and all others are refused as input. */
function expectOneEncoding<T>(
  bytes: Uint8Array,
  decode: (bytes: Uint8Array) => T,
  encode: (value: T) => Uint8Array,
): void {
  let value: T;
  try {
    value = decode(bytes);
  } catch (error) {
    assert.ok(error instanceof SvcError, String(error));
    return;
  }
  assert.deepEqual(toHex(encode(value)), toHex(bytes));
}

test('bytes that were changed or invented are refused, or are the one encoding of something else', () => {
  const mutated = <T>(values: fc.Arbitrary<T>, encode: (value: T) => Uint8Array) =>
    fc
      .tuple(values, fc.nat(), fc.nat({ max: 255 }), fc.nat({ max: 3 }))
      .map(([value, at, byte, cut]) => {
        const bytes = Uint8Array.from(encode(value));
        bytes[at % bytes.length] = byte;
        return bytes.slice(0, bytes.length - cut);
      });
  const anything = fc.uint8Array({ maxLength: 400 });
  fc.assert(
    fc.property(fc.oneof(mutated(REQUEST, encodeRequest), anything), (bytes) => {
      expectOneEncoding(bytes, decodeRequest, encodeRequest);
    }),
    { numRuns: 600 },
  );
  fc.assert(
    fc.property(fc.oneof(mutated(ANSWER, encodeAnswer), anything), (bytes) => {
      expectOneEncoding(bytes, decodeAnswer, encodeAnswer);
    }),
    { numRuns: 300 },
  );
});

test('frames come out of a stream however it is cut, and a frame over the limit ends it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 20 }),
      (frames, size) => {
        const stream = Buffer.concat(frames.map(framed));
        const splitter = new FrameSplitter();
        const found: Uint8Array[] = [];
        for (let at = 0; at < stream.length; at += size)
          found.push(...splitter.split(stream.subarray(at, at + size)));
        assert.deepEqual(found.map(toHex), frames.map(toHex));
      },
    ),
  );
  const announced = new Uint8Array(4);
  for (const length of [0, FRAME_BYTES_MAX + 1, 0xffff_ffff]) {
    new DataView(announced.buffer).setUint32(0, length, true);
    assert.throws(() => new FrameSplitter().split(announced), SvcError);
  }
});

/** Frozen: a signer and a node of different releases understand each other. */
const FROZEN: readonly (readonly [SignerRequest, string])[] = [
  [
    { type: 'ask', version: 1, chainId: new Uint8Array(48).fill(0xc1), name: 'node-a' },
    `0101${'c1'.repeat(48)}066e6f64652d61`,
  ],
  [{ type: 'keep', lease: 7 }, '020700000000000000'],
  [
    {
      type: 'sign',
      lease: 7,
      id: 9,
      message: {
        kind: 'prevote',
        height: height(258),
        round: round(3),
        validRound: round(1),
        value: 'ab'.repeat(48) as never,
        validatorIndex: 0,
      },
      setId: new Uint8Array(48).fill(0x5e),
    },
    `0307000000000000000900000002020100000000000003000000${'01000000'}01${'ab'.repeat(48)}${'5e'.repeat(48)}`,
  ],
  [
    {
      type: 'sign',
      lease: 7,
      id: 10,
      message: {
        kind: 'precommit',
        height: height(258),
        round: round(0),
        validRound: round(-1),
        value: NIL,
        validatorIndex: 0,
      },
      setId: new Uint8Array(48).fill(0x5e),
    },
    `0307000000000000000a00000003020100000000000000000000ffffffff00${'5e'.repeat(48)}`,
  ],
  [
    { type: 'silence', lease: 7, id: 11, silentThrough: 300, stopped: true },
    '0407000000000000000b0000002c0100000000000001',
  ],
  [
    { type: 'heartbeat', lease: 7, id: 12, manifest: '{}', body: Uint8Array.of(1, 2) },
    '0507000000000000000c000000027b7d020102',
  ],
];

const FROZEN_ANSWERS: readonly (readonly [SignerAnswer, string])[] = [
  [
    {
      type: 'granted',
      lease: 7,
      publicKey: new Uint8Array(1_952).fill(0xaa),
      record: Uint8Array.of(1, 2, 3),
    },
    `810700000000000000${'aa'.repeat(1_952)}03010203`,
  ],
  [
    { type: 'held', publicKey: new Uint8Array(1_952).fill(0xaa), holder: 'b' },
    `82${'aa'.repeat(1_952)}0162`,
  ],
  [{ type: 'kept', lease: 7 }, '830700000000000000'],
  [
    { type: 'signed', id: 9, signature: new Uint8Array(3_309).fill(0x51) },
    `8409000000${'51'.repeat(3_309)}`,
  ],
  [{ type: 'done', id: 11 }, '850b000000'],
  [{ type: 'refused', id: 9, reason: 'conflicting_message' }, '860900000004'],
  [{ type: 'refused', id: 9, reason: 'lease_lost' }, '86090000000a'],
  [{ type: 'refused', id: 11, reason: 'record_is_final' }, '860b0000000e'],
];

test('frames of every kind have the bytes that the reference page names', () => {
  for (const [request, hex] of FROZEN) {
    assert.equal(toHex(encodeRequest(request)), hex, request.type);
    assert.deepEqual(decodeRequest(fromHex(hex, 'frame')), request);
  }
  for (const [answer, hex] of FROZEN_ANSWERS) {
    assert.equal(toHex(encodeAnswer(answer)), hex, answer.type);
    assert.deepEqual(decodeAnswer(fromHex(hex, 'frame')), answer);
  }
});
