import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { expectRefused, refusal } from '../../test/testing/expect-refused.ts';
import { CHAIN_ID, committeeOf, type Signer, sampleSigner } from '../../test/testing/validators.ts';
import { toHex } from '../base/bytes.ts';
import { init } from '../entry/node.ts';
import {
  advanceOverRecovery,
  expectRecoveryOf,
  formatRecovery,
  parseRecovery,
  type RecoveredMember,
  type RecoveryPlace,
  recoveryWords,
  signSeat,
  trustOfRecovery,
} from './recovery.ts';

await init();

const PLACE: RecoveryPlace = {
  network: 'mainnet',
  chainId: toHex(CHAIN_ID),
  height: 999,
  cutId: 'ab'.repeat(48),
  timeMillis: 1_800_000_000_000,
};
const OLD = ['a', 'b', 'c', 'd'].map((name) => sampleSigner(name, 10n));
const BEFORE = committeeOf(OLD).set;

/** A member that agrees, unless its parts are changed. */
function memberOf(
  old: Signer,
  { place = PLACE, stake = old.stake, next = sampleSigner(`new ${toHex(old.id)}`, 1n) } = {},
): RecoveredMember {
  const seat = { validatorId: toHex(old.id), stake, publicKey: next.publicKey };
  return signSeat(place, seat, { next: next.secretKey, before: old.secretKey });
}

const [A, B, C] = OLD as [Signer, Signer, Signer];
const MEMBERS = [memberOf(A), memberOf(B)];
const TEXT = formatRecovery(PLACE, MEMBERS);

function changed(change: (document: Record<string, unknown>) => void): string {
  const document = JSON.parse(TEXT) as Record<string, unknown>;
  change(document);
  return JSON.stringify(document);
}

function memberIn(document: Record<string, unknown>, at: number): Record<string, unknown> {
  return (document['members'] as Record<string, unknown>[])[at] as Record<string, unknown>;
}

test('a recovery survives its text, whatever the order of its members was', () => {
  const recovery = parseRecovery(TEXT);
  assert.equal(formatRecovery(recovery, recovery.members), TEXT);
  assert.equal(formatRecovery(PLACE, MEMBERS.toReversed()), TEXT);
  assert.equal(recovery.set.totalStake, 20n);
  assert.equal(recoveryWords(recovery).split(' ').length, 12);
});

test('its id is the labelled hash of what it says, and signatures change nothing of it', () => {
  const recovery = parseRecovery(TEXT);
  const list = recovery.members.map(({ validatorId, stake, publicKey }) => [
    validatorId,
    String(stake),
    Buffer.from(publicKey).toString('hex'),
  ]);
  const { network, chainId, height, cutId, timeMillis } = PLACE;
  const content = [network, chainId, String(height), cutId, String(timeMillis), list];
  const hash = createHash('sha384').update(`SVC_RECOVERY_V1${JSON.stringify(content)}`);
  assert.equal(recovery.id, hash.digest('hex'));
  const again = formatRecovery(PLACE, [memberOf(A), memberOf(B)]);
  assert.notEqual(again, TEXT);
  assert.equal(parseRecovery(again).id, recovery.id);
  assert.notEqual(parseRecovery(formatRecovery(PLACE, [memberOf(A)])).id, recovery.id);
});

test('a document that was changed, or that no new key signed, is refused with the path of the field', () => {
  const table: [(document: Record<string, unknown>) => void, string, string][] = [
    [(d) => (d['recovery_version'] = '2'), 'out_of_range', 'recovery.recovery_version'],
    [(d) => (d['network'] = 'othernet'), 'wrong_network', 'recovery.network'],
    [(d) => (d['height'] = '0'), 'out_of_range', 'recovery.height'],
    [(d) => (d['height'] = '1000'), 'bad_signature', 'recovery.members[0].possession'],
    [(d) => (d['cut_id'] = 'ac'.repeat(48)), 'bad_signature', 'recovery.members[0].possession'],
    [(d) => (d['time_millis'] = '1'), 'bad_signature', 'recovery.members[0].possession'],
    [(d) => (d['network'] = 'testnet'), 'bad_signature', 'recovery.members[0].possession'],
    [(d) => (d['more'] = 1), 'unknown_field', 'recovery.more'],
    [(d) => (d['members'] = []), 'out_of_range', 'recovery.members'],
    [(d) => (memberIn(d, 1)['stake'] = '11'), 'bad_signature', 'recovery.members[1].possession'],
    [
      (d) => (d['members'] = (d['members'] as unknown[]).toReversed()),
      'not_canonical',
      'recovery.members[1].id',
    ],
    [
      (d) => (memberIn(d, 0)['possession'] = memberIn(d, 0)['consent']),
      'bad_signature',
      'recovery.members[0].possession',
    ],
  ];
  for (const [change, code, path] of table) {
    const error = refusal(() => parseRecovery(changed(change)));
    assert.deepEqual([error.code, error.path], [code, path], error.message);
  }
  const shared = sampleSigner('shared', 1n);
  const twice = [memberOf(A, { next: shared }), memberOf(B, { next: shared })];
  expectRefused(() => parseRecovery(formatRecovery(PLACE, twice)), 'not_canonical');
  const many = Array.from({ length: 65 }, () => MEMBERS[0] as RecoveredMember);
  expectRefused(() => parseRecovery(formatRecovery(PLACE, many)), 'bad_length');
});

test('members are some of the set before, with its stakes, by the consent of its keys and with new keys', () => {
  const recoveryOf = (...members: RecoveredMember[]) =>
    parseRecovery(formatRecovery(PLACE, members));
  expectRecoveryOf(parseRecovery(TEXT), BEFORE);
  expectRecoveryOf(recoveryOf(...OLD.map((old) => memberOf(old))), BEFORE);
  const stranger = memberOf(sampleSigner('stranger', 10n));
  const consentOfAnother = { ...memberOf(A), consent: memberOf(B).consent };
  const otherPlace = { ...PLACE, cutId: 'ac'.repeat(48) };
  const consentElsewhere = {
    ...memberOf(A),
    consent: memberOf(A, { place: otherPlace }).consent,
  };
  const table: [RecoveredMember, string, string][] = [
    [stranger, 'not_trusted', 'recovery.members[0]'],
    [memberOf(A, { stake: 11n }), 'not_trusted', 'recovery.members[0].stake'],
    [memberOf(A, { stake: 9n }), 'not_trusted', 'recovery.members[0].stake'],
    [memberOf(A, { next: A }), 'not_trusted', 'recovery.members[0].consensus_public_key'],
    [memberOf(A, { next: C }), 'not_trusted', 'recovery.members[0].consensus_public_key'],
    [consentOfAnother, 'bad_signature', 'recovery.members[0].consent'],
    [consentElsewhere, 'bad_signature', 'recovery.members[0].consent'],
  ];
  for (const [member, code, path] of table) {
    const error = refusal(() => expectRecoveryOf(recoveryOf(member), BEFORE));
    assert.deepEqual([error.code, error.path], [code, path], error.message);
  }
});

test('trust passes over a recovery at its own cut, and at no other', () => {
  const recovery = parseRecovery(TEXT);
  const trusted = { ...trustOfRecovery(recovery), encodedSet: BEFORE.encoded, set: BEFORE };
  const moved = advanceOverRecovery(trusted, recovery);
  assert.deepEqual(moved, trustOfRecovery(recovery));
  for (const change of [
    { height: 998n },
    { time: 1n },
    { cutId: new Uint8Array(48) },
    { chainId: new Uint8Array(48) },
    { network: 'testnet' as const },
    { encodedSet: recovery.set.encoded, set: recovery.set },
  ])
    expectRefused(() => advanceOverRecovery({ ...trusted, ...change }, recovery), 'not_trusted');
});
