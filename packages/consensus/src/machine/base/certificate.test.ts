import assert from 'node:assert/strict';
import { test } from 'node:test';
import { A, commit, polka, SET, vote } from '../../../test/machine/scenario.ts';
import type { Certificate, CertificateFault } from './certificate.ts';
import { checkCertificate, trimCertificate, votesOf } from './certificate.ts';
import { createValidatorSet } from './validator-set.ts';

const yes = () => true;
const good = commit(2, A, [0, 1, 3]);

const CASES: readonly [string, Certificate, typeof yes, CertificateFault | undefined][] = [
  ['more than two thirds', good, yes, undefined],
  ['a polka', polka(2, A, [1, 2, 3]), yes, undefined],
  ['exactly half', commit(2, A, [0, 1]), yes, 'no_quorum'],
  ['a bit beyond the set', { ...good, signers: good.signers | 16n }, yes, 'signers_outside_set'],
  ['a negative bitmap', { ...good, signers: -1n }, yes, 'signers_outside_set'],
  [
    'a signature too few',
    { ...good, signatures: good.signatures.slice(1) },
    yes,
    'signature_count',
  ],
  [
    'a signature too many',
    { ...good, signatures: [...good.signatures, new Uint8Array(1)] },
    yes,
    'signature_count',
  ],
  ['a signature that does not hold', good, () => false, 'bad_signature'],
  [
    'a valid round not below the round',
    { ...polka(2, A, [1, 2, 3]), validRound: 2 as never },
    yes,
    'malformed',
  ],
];

for (const [description, certificate, verify, fault] of CASES)
  test(`a certificate with ${description}: ${fault ?? 'holds'}`, () => {
    assert.equal(checkCertificate(SET, certificate, verify), fault);
  });

test('every signature is checked against the vote of its own signer', () => {
  const asked: number[] = [];
  checkCertificate(SET, good, (unsigned, signature) => {
    asked.push(unsigned.validatorIndex);
    assert.deepEqual(signature, vote('precommit', unsigned.validatorIndex, 2, A).signature);
    assert.equal(unsigned.kind, 'precommit');
    return true;
  });
  assert.deepEqual(asked, [0, 1, 3]);
});

test('trimming keeps the fewest signers that are a quorum, and their signatures', () => {
  const set = createValidatorSet('set', [1n, 5n, 1n, 3n]);
  const trimmed = trimCertificate(set, commit(0, A, [0, 1, 2, 3]));
  assert.deepEqual(
    votesOf(trimmed).map(({ validatorIndex, signature }) => [validatorIndex, signature[0]]),
    [
      [1, 1],
      [3, 3],
    ],
  );
  assert.equal(checkCertificate(set, trimmed, yes), undefined);
});
