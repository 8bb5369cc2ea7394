import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CLIENT_FRAMES } from 'svc-api';
import { encodeAddress } from 'svc-wasm/base';
import { Compile } from 'typebox/compile';
import { refusalOf } from '../refusal.ts';
import { readEnvelope, readFrame } from './session.ts';

const VALIDATORS = new Map(
  Object.entries(CLIENT_FRAMES).map(([type, schema]) => [type, Compile(schema)]),
);

function addressOf(fill: number): string {
  return encodeAddress(Uint8Array.of(0, ...new Uint8Array(48).fill(fill)), 'development');
}

const anyAddress = fc.oneof(
  fc.nat(255).map(addressOf),
  fc.constantFrom('', 'x', null, 5, addressOf(1).toUpperCase(), 'x'.repeat(91)),
);
const anyValue = fc.oneof(
  fc.constantFrom(null, true, '', [], {}, -1, 0, 65, 'x'.repeat(129), 'ab'.repeat(48)),
  fc.nat(64),
  fc.string({ maxLength: 8 }),
);
const anyId = fc.oneof({ weight: 5, arbitrary: fc.nat() }, anyValue);
const anyTopic = fc.constantFrom(
  'cuts',
  'blocks',
  'mempool',
  'rates',
  'sync',
  'mempool_transactions',
  'transaction',
  'addresses',
  'toString',
  '',
);
const anyPath = fc.oneof(
  fc.constantFrom('/v1/mempool', '/v1/cuts?limit=5', '/v1//x', '/v1/../x', 'http://x/v1/y', '/v1/'),
  fc.string({ maxLength: 20 }).map((text) => `/v1/${text}`),
  fc.integer({ min: 1_018, max: 1_022 }).map((length) => `/v1/${'x'.repeat(length)}`),
);
const anyData = fc.record(
  {
    id: anyId,
    topic: fc.oneof({ weight: 9, arbitrary: anyTopic }, anyValue),
    addresses: fc.oneof(
      { weight: 9, arbitrary: fc.array(anyAddress, { maxLength: 3 }) },
      fc.constant(Array.from({ length: 65 }, (_, index) => addressOf(index))),
      anyValue,
    ),
    transaction_id: fc.oneof(fc.constantFrom('ab'.repeat(48), 'AB'.repeat(48)), anyValue),
    subscription: anyValue,
    path: fc.oneof({ weight: 9, arbitrary: anyPath }, anyValue),
    more: anyValue,
  },
  { requiredKeys: [] },
);

/** Most frames would have a field too many; this keeps those that their type may have. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  subscribe: ['id', 'topic', 'addresses', 'transaction_id'],
  unsubscribe: ['id', 'subscription'],
  request: ['id', 'path'],
  ping: ['id'],
};
const anyFrame = fc
  .tuple(fc.constantFrom(...Object.keys(FIELDS), 'pong', ''), anyData, fc.nat(9))
  .map(([type, data, loose]) => {
    const kept = Object.entries(data).filter(
      ([name]) => loose === 0 || FIELDS[type]?.includes(name),
    );
    return { type, data: Object.fromEntries(kept) };
  });

function refusalCode(text: string): string | undefined {
  try {
    readFrame(readEnvelope(text));
    return undefined;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return refusal.code;
  }
}

test('a frame is read if and only if it fits the schema of its type', () => {
  const seen = { read: 0, refused: 0 };
  fc.assert(
    fc.property(anyFrame, (frame) => {
      const code = refusalCode(JSON.stringify(frame));
      const fits = VALIDATORS.get(frame.type)?.Check(frame) === true;
      if (code === undefined) assert.ok(fits, `read ${JSON.stringify(frame)}`);
      else assert.ok(!fits, `${code} ${JSON.stringify(frame)}`);
      seen[code === undefined ? 'read' : 'refused']++;
    }),
    { numRuns: 4_000 },
  );
  assert.ok(seen.read > 200 && seen.refused > 200, JSON.stringify(seen));
});

test('any text is read or refused with a code of the catalogue', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      refusalCode(text);
    }),
    { numRuns: 1_000 },
  );
});
