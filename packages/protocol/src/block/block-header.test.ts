import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seededBytes } from '../../test/seeded-bytes.ts';
import { expectRefused, refusal } from '../../test/testing/expect-refused.ts';
import { concatBytes, toHex } from '../base/bytes.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import { LABELS } from '../base/labels.ts';
import { init } from '../entry/node.ts';
import { hashLabel } from '../kernel/hash-label.ts';
import { decodeBlockHeader, encodeBlockHeader } from './block-header.ts';
import { encodeExtranonce, expectMinerTag, minerTag } from './extranonce.ts';

await init();

const CHAIN_ID = seededBytes('chain', 48);
const HEADER = {
  anchorHeight: 1234n,
  anchorCutId: seededBytes('anchor', 48),
  parentsRoot: seededBytes('parents', 48),
  bodyRoot: seededBytes('body', 48),
  payoutCommitment: seededBytes('payee', 48),
  extranonce: encodeExtranonce('pool #7 (eu)', seededBytes('free', 11)),
  target: seededBytes('target', 32),
  nonce: seededBytes('nonce', 24),
};
const BYTES = encodeBlockHeader(HEADER, CHAIN_ID);

test('a header has 312 bytes and comes back as it was, with its id', () => {
  assert.equal(BYTES.length, 312);
  const decoded = decodeBlockHeader(BYTES, CHAIN_ID);
  const id = hashLabel(LABELS.block, BYTES);
  assert.deepEqual(decoded, { ...HEADER, id, registrationWindowEnd: 1330n });
  assert.equal(minerTag(decoded.extranonce), 'pool #7 (eu)');
});

function changed(at: number, ...values: number[]): Uint8Array {
  const copy = BYTES.slice();
  copy.set(values, at);
  return copy;
}

const rules: readonly [string, Uint8Array, ErrorCode][] = [
  ['another version', changed(0, 2), 'unsupported_version'],
  ['a version with high bits', changed(3, 1), 'unsupported_version'],
  ['another chain', changed(4, (BYTES[4] as number) ^ 1), 'wrong_chain'],
  ['an earlier end of the window', changed(240, 0x31), 'bad_block'],
  ['a later end of the window', changed(240, 0x33), 'bad_block'],
  ['a window that wraps around', changed(8, ...Array(8).fill(0xff)), 'bad_block'],
  ['reserved bytes that are not zero', changed(248, 1), 'not_canonical'],
  ['the last reserved byte too', changed(255, 0x80), 'not_canonical'],
  ['a tag longer than 20 characters', changed(208, 21), 'bad_block'],
  ['a tag shorter than its characters', changed(208, 11), 'not_canonical'],
  ['a tag longer than its characters', changed(208, 13), 'bad_block'],
  ['a character not allowed', changed(209, 0x3c), 'bad_block'],
  ['a character beyond ASCII', changed(209, 0xe4), 'bad_block'],
  ['a control character', changed(209, 0x0a), 'bad_block'],
];
for (const [what, bytes, code] of rules) {
  test(`refused: ${what}`, () => expectRefused(() => decodeBlockHeader(bytes, CHAIN_ID), code));
}

test('every other length is refused', () => {
  for (const bytes of [BYTES.subarray(1), concatBytes(BYTES, BYTES), new Uint8Array(0)]) {
    expectRefused(() => decodeBlockHeader(bytes, CHAIN_ID), 'bad_length', 'header');
  }
});

test('an anchor at the end of all heights has no window', () => {
  const last = { ...HEADER, anchorHeight: 2n ** 64n - 97n };
  const decoded = decodeBlockHeader(encodeBlockHeader(last, CHAIN_ID), CHAIN_ID);
  assert.equal(decoded.registrationWindowEnd, 2n ** 64n - 1n);
});

test('kernel and host allow the same tags: each of 256 characters in each place', () => {
  for (let character = 0; character < 256; character++) {
    for (const length of [1, 20]) {
      const extranonce = HEADER.extranonce.slice().fill(0, 0, 21);
      extranonce[0] = length;
      extranonce.fill(0x61, 1, 1 + length);
      extranonce[length] = character;
      const header = encodeBlockHeader({ ...HEADER, extranonce }, CHAIN_ID);
      const allowed = /[A-Za-z0-9 ._\-/:+@#()!]/.test(String.fromCharCode(character));
      if (allowed)
        assert.equal(minerTag(decodeBlockHeader(header, CHAIN_ID).extranonce).length, length);
      else refusal(() => decodeBlockHeader(header, CHAIN_ID));
    }
  }
});

test('a miner tag has up to 20 allowed characters', () => {
  assert.equal(expectMinerTag('a'.repeat(20)), 'a'.repeat(20));
  assert.equal(expectMinerTag(''), '');
  for (const tag of ['a'.repeat(21), 'a\n', 'ä', '<b>', 'a,b', '"', 7, undefined]) {
    expectRefused(() => expectMinerTag(tag), 'bad_text', 'tag');
  }
});

test('decoding what was encoded gives it back, and other headers have other ids', () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
  const headers = fc.record({
    anchorHeight: fc.bigInt({ min: 0n, max: 2n ** 64n - 97n }),
    anchorCutId: bytes(48),
    parentsRoot: bytes(48),
    bodyRoot: bytes(48),
    payoutCommitment: bytes(48),
    extranonce: fc
      .tuple(fc.stringMatching(/^[a-z0-9 .!]{0,20}$/), bytes(11))
      .map(([tag, free]) => encodeExtranonce(tag, free)),
    target: bytes(32),
    nonce: bytes(24),
  });
  const ids = new Set<string>();
  fc.assert(
    fc.property(headers, (header) => {
      const encoded = encodeBlockHeader(header, CHAIN_ID);
      const { id, registrationWindowEnd, ...decoded } = decodeBlockHeader(encoded, CHAIN_ID);
      assert.deepEqual(decoded, { ...header });
      assert.equal(registrationWindowEnd - header.anchorHeight, 96n);
      ids.add(toHex(id));
    }),
    { numRuns: 200, seed: 3 },
  );
  assert.ok(ids.size > 150);
});
