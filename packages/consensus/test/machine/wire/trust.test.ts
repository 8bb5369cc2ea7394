/**
 * Evidence and light clients with real keys: a signature counts only with the key that was active at its height.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHex, trustingPeriodMillis } from 'svc-wasm/base';
import {
  checkEvidence as checkByProtocol,
  decodeEvidence,
  decodeValidatorSet,
  encodeValidatorSet,
} from 'svc-wasm/protocol';
import type { CutId, HeaderLink, TrustedHeader, WireContext } from '../../../src/machine/index.ts';
import {
  checkEvidence,
  checkLightStep,
  commitCertificateOf,
  createEvidence,
  encodeEvidence,
  evidencePorts,
  height,
  machineSet,
  NIL,
  NO_ROUND,
  round,
  voteVerifier,
} from '../../../src/machine/index.ts';
import { CHAIN_ID, type Committee, type Member, makeCommittee, signAs } from './committee.ts';

/** The keys of the second committee are those of the first, except that member 1 has a new one. */
const FIRST = makeCommittee('first epoch', [1n, 1n, 1n, 1n]);
const SECOND = rotate(FIRST, 1, makeCommittee('rotated', [1n]).members[0] as Member);
const ROTATED_AT = 100;
/** That of the main network. */
const TRUSTING_PERIOD_MS = trustingPeriodMillis('mainnet');
const of = (at: number) => (at < ROTATED_AT ? FIRST : SECOND);
const WIRE: WireContext = { chainId: CHAIN_ID, setIdAt: (at) => of(at).set.id };

function rotate(committee: Committee, place: number, fresh: Member): Committee {
  const members = committee.members.map((member, index) =>
    index === place
      ? { ...member, publicKey: fresh.publicKey, secretKey: fresh.secretKey }
      : member,
  );
  const encodedSet = encodeValidatorSet(members);
  const set = decodeValidatorSet(encodedSet);
  return { members, encodedSet, set, wire: { chainId: CHAIN_ID, setIdAt: () => set.id } };
}

/** Two votes of member 1 at a height, signed with the key it has in the given committee. */
function conflictAt(at: number, keys: Committee) {
  const vote = {
    kind: 'precommit',
    height: height(at),
    round: round(3),
    validRound: NO_ROUND,
    validatorIndex: 1,
  } as const;
  const signer: Committee = { ...keys, wire: WIRE };
  return {
    first: signAs(signer, { ...vote, value: 'aa'.repeat(48) as CutId }),
    second: signAs(signer, { ...vote, value: NIL }),
  };
}

const PORTS = evidencePorts(WIRE, (at) => of(at).set, 34_560);
const CASES: readonly (readonly [string, number, Committee, 'bad_signature' | undefined])[] = [
  ['before the rotation with the key of then', 99, FIRST, undefined],
  ['before the rotation with the key of now', 99, SECOND, 'bad_signature'],
  ['after the rotation with the key of now', 100, SECOND, undefined],
  ['after the rotation with the key of then', 100, FIRST, 'bad_signature'],
];

for (const [description, at, keys, fault] of CASES) {
  test(`evidence from ${description}: ${fault ?? 'convicts'}`, () => {
    const conflict = conflictAt(at, keys);
    assert.equal(checkEvidence(createEvidence(conflict, PORTS), height(500), PORTS), fault);
    const bytes = encodeEvidence(WIRE, conflict);
    const check = () => checkByProtocol(decodeEvidence(bytes), of(at).set, CHAIN_ID);
    if (fault === undefined) assert.equal(check().id, of(at).set.validators[1]?.id);
    else assert.throws(check, { code: fault });
  });
}

test('evidence for another chain does not convict', () => {
  const conflict = conflictAt(99, FIRST);
  const elsewhere = evidencePorts(
    { ...WIRE, chainId: new Uint8Array(48) },
    () => FIRST.set,
    34_560,
  );
  const evidence = createEvidence(conflict, elsewhere);
  assert.equal(checkEvidence(evidence, height(500), elsewhere), 'bad_signature');
});

const DAY = 24n * 3_600_000n;
const START = 1_800_000_000_000n;

function headerAt(at: number, committee: Committee, next: Committee, timeMs: bigint): HeaderLink {
  return {
    id: at.toString(16).padStart(96, '0') as CutId,
    height: height(at),
    parentId: (at - 1).toString(16).padStart(96, '0') as CutId,
    timeMs,
    validatorSetId: toHex(committee.set.id),
    nextValidatorSetId: toHex(next.set.id),
  };
}

function trust(header: HeaderLink, committee: Committee): TrustedHeader {
  const memberKeys = committee.set.validators.map(
    ({ id, publicKey }) => `${toHex(id)}${toHex(publicKey)}`,
  );
  return { header, members: { set: machineSet(committee.set), memberKeys } };
}

function certify(header: HeaderLink, committee: Committee, signers: readonly number[]) {
  const votes = signers.map((validatorIndex) =>
    signAs(committee, {
      kind: 'precommit',
      height: header.height,
      round: round(0),
      validRound: NO_ROUND,
      value: header.id,
      validatorIndex,
    } as const),
  );
  return commitCertificateOf(votes, header.id);
}

function follow(
  trusted: TrustedHeader,
  header: HeaderLink,
  committee: Committee,
  signers: readonly number[],
  nowMs: bigint,
) {
  const verify = voteVerifier(committee.wire, committee.set);
  const certificate = certify(header, committee, signers);
  const clock = { nowMs, trustingPeriodMs: TRUSTING_PERIOD_MS };
  return checkLightStep(trusted, trust(header, committee), certificate, clock, verify);
}

test('a light client goes from header to header across a change of the set', () => {
  const last = headerAt(99, FIRST, SECOND, START);
  const next = headerAt(100, SECOND, SECOND, START + 2500n);
  assert.equal(follow(trust(last, FIRST), next, SECOND, [0, 1, 2], START + 3000n), undefined);
  const unannounced = headerAt(99, FIRST, FIRST, START);
  const fault = follow(trust(unannounced, FIRST), next, SECOND, [0, 1, 2], START + 3000n);
  assert.equal(fault, 'unexpected_set');
});

test('it skips when more than a third of the trusted stake signed, with unchanged keys', () => {
  const trusted = trust(headerAt(50, FIRST, FIRST, START), FIRST);
  const later = headerAt(5000, SECOND, SECOND, START + DAY);
  const now = START + DAY + 1000n;
  assert.equal(follow(trusted, later, SECOND, [0, 1, 2], now), undefined, '0 and 2 of four');
  const strangers = makeCommittee('strangers', [1n, 1n, 1n, 1n]);
  const theirs = headerAt(5000, strangers, strangers, START + DAY);
  assert.equal(follow(trusted, theirs, strangers, [0, 1, 2, 3], now), 'too_little_overlap');
  const oneLeft = rotate(
    rotate(SECOND, 2, strangers.members[2] as Member),
    3,
    strangers.members[3] as Member,
  );
  const thin = headerAt(5000, oneLeft, oneLeft, START + DAY);
  const fault = follow(trusted, thin, oneLeft, [0, 1, 2, 3], now);
  assert.equal(fault, 'too_little_overlap', 'a quarter of the stake has kept its key');
});

test('trust ends with the trusting period, to the millisecond', () => {
  const trusted = trust(headerAt(50, FIRST, FIRST, START), FIRST);
  const time = START + TRUSTING_PERIOD_MS - 5000n;
  const later = headerAt(5000, FIRST, FIRST, time);
  const at = (nowMs: bigint) => follow(trusted, later, FIRST, [0, 1, 2], nowMs);
  assert.equal(at(START + TRUSTING_PERIOD_MS - 1n), undefined);
  assert.equal(at(START + TRUSTING_PERIOD_MS), 'trust_expired');
});

test('a signature by the wrong key and too few signers are refused', () => {
  const trusted = trust(headerAt(50, FIRST, FIRST, START), FIRST);
  const later = headerAt(60, FIRST, FIRST, START + 25_000n);
  assert.equal(follow(trusted, later, FIRST, [0, 1], START + 30_000n), 'no_quorum');
  const verify = voteVerifier(FIRST.wire, FIRST.set);
  const forged = certify(later, { ...SECOND, wire: FIRST.wire }, [0, 1, 2]);
  const clock = { nowMs: START + 30_000n, trustingPeriodMs: TRUSTING_PERIOD_MS };
  const fault = checkLightStep(trusted, trust(later, FIRST), forged, clock, verify);
  assert.equal(fault, 'bad_signature');
});
