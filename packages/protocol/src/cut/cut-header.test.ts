import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectRefused, refusal } from '../../test/testing/expect-refused.ts';
import { sampleCommittee, sampleHeader } from '../../test/testing/validators.ts';
import { concatBytes, toHex } from '../base/bytes.ts';
import { init } from '../entry/node.ts';
import { CUT_HEADER_BYTES, cutId, decodeCutHeader, encodeCutHeader } from './cut-header.ts';

await init();

const HEADER = sampleHeader(sampleCommittee(1n).set);
const BYTES = encodeCutHeader(HEADER);

test('a header has 558 bytes and comes back as it was', () => {
  assert.equal(BYTES.length, CUT_HEADER_BYTES);
  assert.deepEqual(decodeCutHeader(BYTES), HEADER);
});

test('every other length is refused', () => {
  for (const length of [0, 1, 557]) {
    expectRefused(() => decodeCutHeader(BYTES.subarray(0, length)), 'bad_length', 'header');
  }
  const longer = concatBytes(BYTES, new Uint8Array(1));
  expectRefused(() => decodeCutHeader(longer), 'bad_length', 'header');
});

test('a flipped bit gives another header with another id, or is refused', () => {
  const id = toHex(cutId(BYTES));
  let refused = 0;
  for (let bit = 0; bit < 8 * BYTES.length; bit++) {
    const changed = BYTES.slice();
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
    assert.notEqual(toHex(cutId(changed)), id);
    try {
      assert.deepEqual(encodeCutHeader(decodeCutHeader(changed)), changed);
    } catch (error) {
      refusal(() => {
        throw error;
      });
      refused++;
    }
  }
  assert.ok(refused >= 32, 'the version alone has 32 bits that must not change');
});

const rules: readonly [string, Parameters<typeof sampleHeader>[1] & object, string][] = [
  ['a proposer outside any committee', { proposer: 64 }, 'header.proposer'],
  ['more than 256 registered blocks', { registeredCount: 257 }, 'header.registeredCount'],
  ['bytes without blocks', { registeredCount: 0 }, 'header.registeredBytes'],
  ['more bytes than blocks hold', { registeredBytes: 192_001 }, 'header.registeredBytes'],
];
for (const [what, change, path] of rules) {
  test(`refused: ${what}`, () => {
    const header = { ...HEADER, ...change };
    expectRefused(() => encodeCutHeader(header), 'out_of_range', path);
  });
}

test('refused when decoded as when encoded', () => {
  const changed = BYTES.slice();
  changed[160] = 64;
  expectRefused(() => decodeCutHeader(changed), 'out_of_range', 'header.proposer');
  changed.set(BYTES);
  changed[0] = 2;
  expectRefused(() => decodeCutHeader(changed), 'unsupported_version', 'header.version');
});
