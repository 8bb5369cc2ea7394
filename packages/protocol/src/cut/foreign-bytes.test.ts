/**
 * Sets and headers that our own encoders would never write, as bytes from elsewhere.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MEMBER_BYTES, MEMBER_STAKE, SET_MEMBERS } from '../../assembly/cut/layout.ts';
import {
  CHAIN_ID,
  sampleCommittee,
  sampleHeader,
  signHeader,
} from '../../test/testing/validators.ts';
import { ID_BYTES } from '../base/sizes.ts';
import { init } from '../entry/node.ts';
import { encodeCertificate } from './certificate.ts';
import { verifyCutCertificate } from './certified-cut.ts';
import { decodeValidatorSet } from './validator-set.ts';

await init();

const SUPPLY = 20_000_000_000_000_000n;

function withStakes(...stakes: readonly bigint[]): Uint8Array {
  const { encodedSet } = sampleCommittee(...stakes.map(() => 1n));
  const view = new DataView(encodedSet.buffer);
  stakes.forEach((stake, index) => {
    view.setBigUint64(SET_MEMBERS + index * MEMBER_BYTES + MEMBER_STAKE, stake, true);
  });
  return encodedSet;
}

test('the stakes of a set are above zero and together within the supply', () => {
  assert.equal(decodeValidatorSet(withStakes(SUPPLY - 1n, 1n)).totalStake, SUPPLY);
  const refused: readonly (readonly [number, bigint[]])[] = [
    [1, [SUPPLY, 1n]],
    [0, [SUPPLY + 1n, 1n]],
    [1, [SUPPLY / 2n + 1n, SUPPLY / 2n]],
    [1, [1n, 2n ** 64n - 1n]],
    [2, [1n, 1n, 0n]],
  ];
  for (const [index, stakes] of refused) {
    assert.throws(() => decodeValidatorSet(withStakes(...stakes)), {
      code: 'out_of_range',
      path: new RegExp(`^validatorSet\\[${index}\\]`),
    });
  }
});

test('the members of a set ascend, and none is there twice', () => {
  const { encodedSet } = sampleCommittee(1n, 1n, 1n);
  const id = (index: number) => {
    const at = SET_MEMBERS + index * MEMBER_BYTES;
    return encodedSet.subarray(at, at + ID_BYTES);
  };
  const twice = encodedSet.slice();
  twice.set(id(0), SET_MEMBERS + MEMBER_BYTES);
  const exchanged = encodedSet.slice();
  exchanged.set(id(2), SET_MEMBERS + MEMBER_BYTES);
  exchanged.set(id(1), SET_MEMBERS + 2 * MEMBER_BYTES);
  for (const set of [twice, exchanged]) {
    assert.throws(() => decodeValidatorSet(set), { code: 'not_canonical' });
  }
});

test('a cut is final by the set that its header names, not by another one that signed it', () => {
  const committee = sampleCommittee(3n, 2n, 1n);
  const other = sampleCommittee(3n, 2n, 2n);
  const own = signHeader(committee, [0, 1, 2], sampleHeader(committee.set));
  const foreign = signHeader(committee, [0, 1, 2], sampleHeader(other.set));
  const verify = ({ header, certificate }: typeof own) =>
    verifyCutCertificate(header, encodeCertificate(certificate), committee.encodedSet, CHAIN_ID);
  assert.ok(verify(own));
  assert.throws(() => verify(foreign), { code: 'wrong_validator_set', path: /^header/ });
});
