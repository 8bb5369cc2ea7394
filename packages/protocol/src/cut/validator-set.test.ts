import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededBytes } from '../../test/seeded-bytes.ts';
import { expectRefused } from '../../test/testing/expect-refused.ts';
import { sampleCommittee, sampleSigner } from '../../test/testing/validators.ts';
import { concatBytes } from '../base/bytes.ts';
import { init } from '../entry/node.ts';
import { ATOMS_MAX } from '../text/amount.ts';
import { decodeValidatorSet, encodeValidatorSet, type Validator } from './validator-set.ts';

await init();

const { set: SET, encodedSet: ENCODED } = sampleCommittee(5n, 7n, 9n);

test('a set comes back as it was, with its id and its whole stake', () => {
  assert.deepEqual(encodeValidatorSet(SET.validators), ENCODED);
  assert.equal(SET.totalStake, 21n);
  assert.equal(ENCODED.length, 1 + 3 * 2008);
});

test('ids ascend strictly', () => {
  expectRefused(() => encodeValidatorSet(SET.validators.toReversed()), 'not_canonical');
  const [first] = SET.validators as [Validator];
  expectRefused(() => encodeValidatorSet([first, first]), 'not_canonical', 'validatorSet[1].id');
  const swapped = concatBytes(
    ENCODED.subarray(0, 1),
    ENCODED.subarray(2009, 4017),
    ENCODED.subarray(1, 2009),
    ENCODED.subarray(4017),
  );
  expectRefused(() => decodeValidatorSet(swapped), 'not_canonical', 'validatorSet[1].id');
});

test('stakes are above zero and their sum within the supply', () => {
  const [first, second] = SET.validators as [Validator, Validator];
  const encode = (one: bigint, other: bigint) => () =>
    encodeValidatorSet([
      { ...first, stake: one },
      { ...second, stake: other },
    ]);
  expectRefused(encode(0n, 1n), 'out_of_range', 'validatorSet[0].stake');
  expectRefused(encode(ATOMS_MAX, 1n), 'out_of_range', 'validatorSet[1].stake');
  expectRefused(encode(ATOMS_MAX + 1n, 1n), 'out_of_range', 'validatorSet[0].stake');
  assert.doesNotThrow(encode(ATOMS_MAX - 1n, 1n));
  const wrapping = ENCODED.slice();
  wrapping.fill(0xff, 2001, 2009);
  expectRefused(() => decodeValidatorSet(wrapping), 'out_of_range', 'validatorSet[0].stake');
});

test('a set has 1 to 64 members', () => {
  expectRefused(() => encodeValidatorSet([]), 'out_of_range');
  expectRefused(() => decodeValidatorSet(new Uint8Array(1)), 'out_of_range');
  expectRefused(() => decodeValidatorSet(Uint8Array.of(65)), 'out_of_range');
  const one = sampleSigner('x', 1n);
  const many = Array.from({ length: 65 }, (_, index) => {
    const id = seededBytes('many', 48);
    id[0] = index;
    return { ...one, id };
  });
  assert.equal(decodeValidatorSet(encodeValidatorSet(many.slice(0, 64))).totalStake, 64n);
  expectRefused(() => encodeValidatorSet(many), 'out_of_range');
});

test('cut short, lengthened or with a padded count, a set is refused', () => {
  for (const length of [0, 1, 2008, 2009, ENCODED.length - 1]) {
    expectRefused(() => decodeValidatorSet(ENCODED.subarray(0, length)), 'truncated');
  }
  expectRefused(() => decodeValidatorSet(concatBytes(ENCODED, ENCODED)), 'trailing_bytes');
  const padded = concatBytes(Uint8Array.of(0x83, 0), ENCODED.subarray(1));
  expectRefused(() => decodeValidatorSet(padded), 'not_canonical');
});
