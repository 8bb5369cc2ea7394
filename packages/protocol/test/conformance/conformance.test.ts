import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CODECS } from '../generate/codecs.ts';
import { conformanceHashes, FEW_CASES } from './conformance.ts';
import { readFrozen } from './frozen.ts';

const FROZEN = readFrozen();

test('every encoded type has frozen hashes, and nothing else has', () => {
  assert.deepEqual(Object.keys(FROZEN).sort(), CODECS.map(({ name }) => name).sort());
});

for (const codec of CODECS) {
  test(`${codec.name}: ${FEW_CASES} encodings decode, encode again and hash as frozen`, () => {
    const [found] = Object.values(conformanceHashes(codec, [FEW_CASES]));
    assert.equal(found, FROZEN[codec.name]?.[String(FEW_CASES)]);
  });
}
