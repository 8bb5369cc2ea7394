import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededBytes } from '../../test/seeded-bytes.ts';
import { expectRefused, refusal } from '../../test/testing/expect-refused.ts';
import type { Committee } from '../../test/testing/validators.ts';
import {
  CHAIN_ID,
  sampleCommittee,
  sampleHeader,
  signCertificate,
  signHeader,
} from '../../test/testing/validators.ts';
import { concatBytes, toHex } from '../base/bytes.ts';
import { init } from '../entry/node.ts';
import type { Certificate } from './certificate.ts';
import {
  decodeCertificate,
  decodePolkaCertificate,
  encodeCertificate,
  encodePolkaCertificate,
} from './certificate.ts';
import { verifyCutCertificate } from './certified-cut.ts';
import { cutId, decodeCutHeader } from './cut-header.ts';
import { checkCertificate, checkPolkaCertificate } from './verify-certificate.ts';

await init();

/** Stakes by place in the set: the first two hold exactly two thirds of 9. */
const COMMITTEE = withStakes([3n, 3n, 2n, 1n]);
const SIGNED = signHeader(COMMITTEE, [0, 1, 2], sampleHeader(COMMITTEE.set));

/** A committee whose member at each place has the given stake. */
function withStakes(stakes: readonly bigint[]): Committee {
  const places = sampleCommittee(...stakes.map((_, index) => BigInt(index + 1)));
  const byName: bigint[] = [];
  places.signers.forEach((signer, place) => {
    byName[Number(signer.stake) - 1] = stakes[place] as bigint;
  });
  return sampleCommittee(...byName);
}

function verify(certificate: Certificate, committee = COMMITTEE, chainId = CHAIN_ID) {
  const encoded = encodeCertificate(certificate);
  return verifyCutCertificate(SIGNED.header, encoded, committee.encodedSet, chainId);
}

test('a certificate comes back as it was and proves its cut', () => {
  const { header, certificate } = SIGNED;
  assert.deepEqual(decodeCertificate(encodeCertificate(certificate)), certificate);
  assert.deepEqual(JSON.parse(verify(certificate)), {
    cut_id: toHex(cutId(header)),
    height: '1000',
    signed_stake: '8',
    total_stake: '9',
    signers: ['0', '1', '2'],
    state_root: toHex(decodeCutHeader(header).stateRoot),
    time: '1800000000000',
    validator_set_id: toHex(COMMITTEE.set.id),
    next_validator_set_id: toHex(COMMITTEE.set.id),
  });
});

test('exactly two thirds of the stake are too little, one atom more is enough', () => {
  const sign = (members: number[]) =>
    signHeader(COMMITTEE, members, sampleHeader(COMMITTEE.set)).certificate;
  expectRefused(() => verify(sign([0, 1])), 'insufficient_stake', 'certificate.signers');
  assert.equal(JSON.parse(verify(sign([0, 1, 3]))).signed_stake, '7');
  expectRefused(() => verify(sign([3])), 'insufficient_stake');
});

test('the largest stakes are summed without overflow', () => {
  const third = 20_000_000_000_000_000n / 3n;
  const committee = withStakes([third, third, third]);
  const { header, certificate } = signHeader(committee, [0, 1], sampleHeader(committee.set));
  const encoded = encodeCertificate(certificate);
  expectRefused(
    () => verifyCutCertificate(header, encoded, committee.encodedSet, CHAIN_ID),
    'insufficient_stake',
  );
});

test('no bit may be outside the set, and every bit needs its signature', () => {
  const { certificate } = SIGNED;
  const extra = {
    ...certificate,
    signers: certificate.signers | (1n << 4n),
    signatures: [...certificate.signatures, certificate.signatures[0] as Uint8Array],
  };
  expectRefused(() => verify(extra), 'bad_cut', 'certificate.signers');
  const lacking = { ...certificate, signers: 15n };
  expectRefused(() => encodeCertificate(lacking), 'bad_cut', 'certificate.signatures');
  const none = { ...certificate, signers: 0n, signatures: [] };
  expectRefused(() => encodeCertificate(none), 'bad_cut', 'certificate.signers');
});

test('a signature counts once: repeated under another bit it is refused', () => {
  const { certificate } = SIGNED;
  const [first, second] = certificate.signatures as [Uint8Array, Uint8Array];
  const repeated = { ...certificate, signatures: [first, second, second] };
  expectRefused(() => verify(repeated), 'bad_signature', 'certificate.signatures[2]');
});

test('another set, another chain, another cut, another height or round are refused', () => {
  const { certificate } = SIGNED;
  const other = withStakes([3n, 3n, 2n, 2n]);
  expectRefused(() => verify(certificate, other), 'wrong_validator_set');
  expectRefused(() => verify(certificate, COMMITTEE, other.set.id), 'wrong_chain');
  const cut = seededBytes('other cut', 48);
  expectRefused(() => verify({ ...certificate, cutId: cut }), 'wrong_cut');
  expectRefused(() => verify({ ...certificate, height: 999n }), 'wrong_cut');
  expectRefused(() => verify({ ...certificate, round: 2 }), 'bad_signature');
  const foreign = { ...certificate, validatorSetId: other.set.id };
  expectRefused(() => verify(foreign), 'wrong_validator_set', 'certificate.validatorSetId');
  expectRefused(() => verify(certificate, COMMITTEE, cut.subarray(1)), 'bad_length', 'chainId');
});

test('no bit of a certificate or header can be flipped', () => {
  const encoded = encodeCertificate(SIGNED.certificate);
  const { encodedSet } = COMMITTEE;
  const head = Array.from({ length: 116 }, (_, index) => index);
  const inSignatures = [116, 200, 3424, 3425, 5000, encoded.length - 1];
  for (const at of [...head, ...inSignatures]) {
    const changed = encoded.slice();
    changed[at] = (changed[at] as number) ^ (1 << (at % 8));
    refusal(() => verifyCutCertificate(SIGNED.header, changed, encodedSet, CHAIN_ID));
  }
  for (let at = 0; at < SIGNED.header.length; at++) {
    const changed = SIGNED.header.slice();
    changed[at] = (changed[at] as number) ^ (1 << (at % 8));
    refusal(() => verifyCutCertificate(changed, encoded, encodedSet, CHAIN_ID));
  }
});

test('cut short or lengthened, a certificate is refused', () => {
  const encoded = encodeCertificate(SIGNED.certificate);
  for (const length of [0, 115, 116, 3425, encoded.length - 1]) {
    expectRefused(() => decodeCertificate(encoded.subarray(0, length)), 'truncated');
  }
  expectRefused(() => decodeCertificate(concatBytes(encoded, CHAIN_ID)), 'trailing_bytes');
});

test('a polka certificate proves prevotes of one valid round, and is no commit certificate', () => {
  const content = {
    kind: 'prevote',
    height: 5n,
    round: 3,
    validRound: 1,
    cutId: seededBytes('cut', 48),
    validatorSetId: COMMITTEE.set.id,
  } as const;
  const certificate = signCertificate(COMMITTEE, [0, 1, 2], content);
  const polka = { ...certificate, validRound: 1 };
  assert.deepEqual(decodePolkaCertificate(encodePolkaCertificate(polka)), polka);
  assert.equal(checkPolkaCertificate(polka, COMMITTEE.set, CHAIN_ID), 8n);
  const later = { ...polka, validRound: 2 };
  const check = (found: typeof polka) => () =>
    checkPolkaCertificate(found, COMMITTEE.set, CHAIN_ID);
  expectRefused(check(later), 'bad_signature');
  expectRefused(() => checkCertificate(certificate, COMMITTEE.set, CHAIN_ID), 'bad_signature');
  const commit = { ...SIGNED.certificate, validRound: -1 };
  expectRefused(check(commit), 'bad_signature');
  const ahead = { ...polka, validRound: 3 };
  expectRefused(() => encodePolkaCertificate(ahead), 'bad_cut', 'polka.validRound');
  const bytes = encodePolkaCertificate(polka);
  bytes[0] = 3;
  expectRefused(() => decodePolkaCertificate(bytes), 'bad_cut', 'polka.validRound');
});
