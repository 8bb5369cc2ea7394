import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutSum, withSum } from './summed-json.ts';

const JSON_TEXT = '{"name":"\\"sum\\"","payment_max":"1000"}';

test('a line comes back as it was, and one without a checksum does not', () => {
  assert.equal(withoutSum(withSum(JSON_TEXT)), JSON_TEXT);
  assert.equal(withoutSum(JSON_TEXT), undefined);
});

test('no single flipped bit of a line gives another object', () => {
  const line = Buffer.from(withSum(JSON_TEXT), 'latin1');
  for (let bit = 0; bit < 8 * line.length; bit++) {
    const flipped = Buffer.from(line);
    flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
    const found = withoutSum(flipped.toString('latin1'));
    assert.equal(found, undefined, `bit ${bit}`);
  }
});
