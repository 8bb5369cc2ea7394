import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CERTIFICATE_BYTES_MAX,
  CHECKED_SIGNED_STAKE,
  CHECKED_SIGNER_COUNT,
  CUT_HEADER_BYTES,
  MEMBER_BYTES,
  PART_CERTIFICATE,
  PART_SET,
  PRECOMMIT,
  PREVOTE,
  SET_BYTES_MAX,
  SET_MEMBERS,
} from '../../assembly/cut/layout.ts';
import {
  BAD_VOTE_SIGNATURE,
  MEMBERS_OUT_OF_ORDER,
  OK,
  TOO_LITTLE_STAKE,
  WRONG_CERTIFIED_CUT,
} from '../../assembly/errors.ts';
import { kernelTwins } from '../../test/kernel-twins.ts';
import { seededBytes } from '../../test/seeded-bytes.ts';
import {
  CHAIN_ID,
  sampleCommittee,
  sampleHeader,
  signCertificate,
  signHeader,
} from '../../test/testing/validators.ts';
import { concatBytes, toHex } from '../base/bytes.ts';
import { init } from '../entry/node.ts';
import { ExpandedKey, slotTable } from '../kernel/expanded-key.ts';
import type { KernelInstance } from '../kernel/instance.ts';
import { encodeCertificate, encodePolkaCertificate } from './certificate.ts';
import { CERTIFICATE_AT, CHAIN_ID_AT, HEADER_AT, SET_AT, SLOTS_AT } from './kernel-input.ts';

interface Request {
  readonly kind: number;
  readonly header: Uint8Array;
  readonly certificate: Uint8Array;
  readonly set: Uint8Array;
  readonly slots: readonly number[];
}

await init();
const twins = await kernelTwins({ expandedKeySlots: 3 });
const committee = sampleCommittee(3n, 3n, 3n, 1n);
const { header, certificate } = signHeader(committee, [0, 1, 2, 3], sampleHeader(committee.set));
const good = {
  kind: PRECOMMIT,
  header,
  certificate: encodeCertificate(certificate),
  set: committee.encodedSet,
  slots: [0, 0, 0, 0],
};

function check({ bytes, view, input, output, exports }: KernelInstance, request: Request) {
  const { kind, header, certificate, set, slots } = request;
  bytes.fill(0, output, output + 128);
  bytes.set(CHAIN_ID, input + CHAIN_ID_AT);
  bytes.set(header, input + HEADER_AT);
  bytes.set(set, input + SET_AT);
  bytes.set(certificate, input + CERTIFICATE_AT);
  slots.forEach((slot, index) => {
    view.setUint32(input + SLOTS_AT + 4 * index, slot, true);
  });
  const error = exports.certificateCheck(
    kind,
    header.length === 0 ? 0 : input + HEADER_AT,
    header.length,
    input + CERTIFICATE_AT,
    certificate.length,
    input + SET_AT,
    set.length,
    input + CHAIN_ID_AT,
    input + SLOTS_AT,
  );
  return {
    error,
    part: exports.cutFaultPart(),
    index: exports.cutFaultIndex(),
    signedStake: view.getBigUint64(output + CHECKED_SIGNED_STAKE, true),
    signerCount: view.getUint32(output + CHECKED_SIGNER_COUNT, true),
    output: toHex(bytes.slice(output, output + 128)),
  };
}

/** The answer on which all builds agree. */
function answer(request: Request) {
  const [one, ...others] = twins.map(({ instance }) => check(instance, request));
  for (const other of others) assert.deepEqual(other, one);
  return one as NonNullable<typeof one>;
}

function changed(bytes: Uint8Array, at: number): Uint8Array {
  const copy = bytes.slice();
  copy[at] = (copy[at] as number) ^ (1 << (at % 8));
  return copy;
}

test('both builds prove a cut, and its votes without the header', () => {
  const proven = answer(good);
  assert.equal(proven.error, OK);
  assert.equal(proven.signedStake, 10n);
  assert.equal(proven.signerCount, 4);
  assert.equal(answer({ ...good, header: new Uint8Array(0) }).output, proven.output);
});

test('both builds prove prevotes, which are no precommits and have one valid round', () => {
  const content = {
    kind: 'prevote',
    height: 5n,
    round: 3,
    validRound: 1,
    cutId: seededBytes('cut', 48),
    validatorSetId: committee.set.id,
  } as const;
  const certificate = signCertificate(committee, [0, 1, 2], content);
  const header = new Uint8Array(0);
  const polka = (validRound: number) =>
    answer({
      ...good,
      header,
      kind: PREVOTE,
      certificate: encodePolkaCertificate({ ...certificate, validRound }),
    });
  assert.equal(polka(1).error, OK);
  assert.equal(polka(2).error, BAD_VOTE_SIGNATURE);
  const commit = answer({ ...good, header, certificate: encodeCertificate(certificate) });
  assert.equal(commit.error, BAD_VOTE_SIGNATURE);
});

test('an expanded key answers as the plain one does, and never for another validator', () => {
  const keys = committee.signers.map(({ publicKey }) => new ExpandedKey(publicKey));
  const plain = answer(good);
  for (const { instance } of twins) {
    const slots = slotTable(instance).addressesOf(keys);
    assert.equal(new Set(slots.slice(0, 3)).size, 3);
    assert.equal(slots[3], 0, 'a key beyond the slots is checked from its bytes');
    assert.deepEqual(check(instance, { ...good, slots }), plain);
    const [first, second, ...others] = slots as [number, number, number, number];
    const crossed = check(instance, { ...good, slots: [second, first, ...others] });
    assert.deepEqual(
      [crossed.error, crossed.part, crossed.index],
      [BAD_VOTE_SIGNATURE, PART_CERTIFICATE, 0],
    );
  }
});

test('the set that was checked last is known by all its bytes', () => {
  assert.equal(answer(good).error, OK);
  const last = good.set.length - 1;
  for (const at of [0, 1, 60, SET_MEMBERS + MEMBER_BYTES, last]) {
    assert.notEqual(answer({ ...good, set: changed(good.set, at) }).error, OK);
  }
  assert.equal(answer(good).error, OK);
  const swapped = concatBytes(
    good.set.subarray(0, SET_MEMBERS),
    good.set.subarray(SET_MEMBERS + MEMBER_BYTES, SET_MEMBERS + 2 * MEMBER_BYTES),
    good.set.subarray(SET_MEMBERS, SET_MEMBERS + MEMBER_BYTES),
    good.set.subarray(SET_MEMBERS + 2 * MEMBER_BYTES),
  );
  const { error, part, index } = answer({ ...good, set: swapped });
  assert.deepEqual([error, part, index], [MEMBERS_OUT_OF_ORDER, PART_SET, 1]);
});

test('a fault names the certificate and the signature', () => {
  const broken = answer({ ...good, certificate: changed(good.certificate, 116 + 2 * 3309 + 9) });
  assert.deepEqual(
    [broken.error, broken.part, broken.index],
    [BAD_VOTE_SIGNATURE, PART_CERTIFICATE, 2],
  );
  const other = answer({ ...good, header: changed(good.header, 400) });
  assert.deepEqual([other.error, other.part], [WRONG_CERTIFIED_CUT, PART_CERTIFICATE]);
  const { certificate } = signHeader(committee, [0, 1], sampleHeader(committee.set));
  const few = answer({ ...good, certificate: encodeCertificate(certificate) });
  assert.deepEqual([few.error, few.index], [TOO_LITTLE_STAKE, -1]);
});

test('both builds refuse every flipped bit of the head and of the header alike', () => {
  for (let at = 0; at < 116; at++) {
    const { error } = answer({ ...good, certificate: changed(good.certificate, at) });
    assert.notEqual(error, OK, `byte ${at} of the certificate`);
  }
  for (let at = 0; at < CUT_HEADER_BYTES; at++) {
    const { error } = answer({ ...good, header: changed(good.header, at) });
    assert.notEqual(error, OK, `byte ${at} of the header`);
  }
});

test('both builds refuse hostile bytes of any length alike', () => {
  const lengths = [0, 1, 3, 4, 115, 116, 119, 120, 2009, 3425, 14_000];
  for (const kind of [PREVOTE, PRECOMMIT, 0, 3, -1]) {
    for (const length of lengths) {
      const noise = seededBytes(`noise ${length}`, length);
      assert.notEqual(answer({ ...good, kind, certificate: noise }).error, OK);
      assert.notEqual(answer({ ...good, kind, set: noise }).error, OK);
      const cutShort = good.certificate.subarray(0, length);
      if (length < good.certificate.length)
        assert.notEqual(answer({ ...good, kind, certificate: cutShort }).error, OK);
    }
  }
  const longest = new Uint8Array(CERTIFICATE_BYTES_MAX + 1).fill(0xff);
  assert.notEqual(answer({ ...good, certificate: longest }).error, OK);
  const largest = new Uint8Array(SET_BYTES_MAX + 1).fill(0xff);
  largest[0] = 64;
  assert.notEqual(answer({ ...good, set: largest }).error, OK);
  assert.equal(answer(good).error, OK);
});
