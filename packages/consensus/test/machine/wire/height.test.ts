/**
 * A height decided by four real machines with real keys, signatures, logs and bytes.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLog } from 'svc-base/pure';
import { verifyCutCertificate } from 'svc-wasm';
import { equalBytes, fromHex } from 'svc-wasm/base';
import { checkEvidence, decodeEvidence } from 'svc-wasm/protocol';
import type { CutId, UnsignedVote } from '../../../src/machine/index.ts';
import {
  acceptEvidence,
  checkCertificate,
  checkEvidence as checkConflict,
  decodeEvidence as conflictOf,
  decodeInput,
  encodeCertificate,
  encodeEvidence,
  encodeMessage,
  evidencePorts,
  height,
  machineSet,
  NIL,
  NO_ROUND,
  recover,
  round,
  signedBytesOf,
  voteVerifier,
} from '../../../src/machine/index.ts';
import { contextFor, HEIGHT, Peer, runCluster } from './cluster.ts';
import { CHAIN_ID, type Committee, makeCommittee, signAs } from './committee.ts';

const COMMITTEE = makeCommittee('height', [3n, 1n, 2n, 2n]);

function makePeers(committee: Committee, count = committee.members.length): Peer[] {
  const headers = new Map<CutId, Uint8Array>();
  return Array.from({ length: count }, (_, index) => new Peer(committee, index, headers));
}

test('four machines decide a height in real bytes, and the public module accepts the proof', () => {
  const peers = makePeers(COMMITTEE);
  runCluster(peers);
  const values = new Set(peers.map((peer) => peer.decided?.value));
  assert.equal(values.size, 1);
  for (const peer of peers) {
    const { decided } = peer;
    assert.ok(decided !== undefined);
    assert.deepEqual(peer.refused, []);
    const bytes = encodeCertificate(COMMITTEE.wire, decided);
    const header = peer.headers.get(decided.value) as Uint8Array;
    const report = verifyCutCertificate(header, bytes, COMMITTEE.encodedSet, CHAIN_ID);
    assert.equal(JSON.parse(report).cut_id, decided.value);
    const verify = voteVerifier(COMMITTEE.wire, COMMITTEE.set);
    assert.equal(checkCertificate(machineSet(COMMITTEE.set), decided, verify), undefined);
  }
});

test('the proposal of the first round is lost: the second round decides', () => {
  const peers = makePeers(COMMITTEE);
  const PROPOSAL_TAG = 1;
  let lost = 0;
  runCluster(peers, (from, _to, bytes) => {
    const isLost = from === 0 && bytes[0] === PROPOSAL_TAG;
    if (isLost) lost += 1;
    return isLost;
  });
  assert.equal(lost, 3);
  assert.deepEqual(
    peers.map((peer) => peer.decided?.round),
    [1, 1, 1, 1],
  );
  assert.equal(new Set(peers.map((peer) => peer.decided?.value)).size, 1);
});

test('the log in bytes, played again, gives the same state and asks for no other signature', () => {
  const peers = makePeers(COMMITTEE);
  runCluster(peers);
  for (const peer of peers) {
    const reading = readLog(peer.log.bytes);
    assert.ok(reading.type === 'read');
    assert.equal(reading.droppedBytes, 0);
    const log = reading.records.map(({ payload }) => decodeInput(COMMITTEE.wire, payload));
    assert.deepEqual(log[0], {
      type: 'startHeight',
      context: contextFor(COMMITTEE, peer.index),
    });
    const recovered = recover({ log, previous: undefined, holdsCut: () => true });
    assert.deepEqual(recovered.state.decided, peer.decided);
    assert.deepEqual(recovered.state.round.locked, peer.state.round.locked);
    assert.deepEqual(
      recovered.effects.map(({ type }) => type),
      ['decide'],
    );
  }
});

const vote: UnsignedVote = {
  kind: 'prevote',
  height: HEIGHT,
  round: round(0),
  validRound: NO_ROUND,
  value: 'ab'.repeat(48) as CutId,
  validatorIndex: 3,
};

test('an equivocation becomes evidence that the protocol module accepts, and the chain only once', () => {
  const [peer] = makePeers(COMMITTEE, 1);
  assert.ok(peer !== undefined);
  peer.start();
  const { wire, set } = COMMITTEE;
  const first = signAs(COMMITTEE, vote);
  const second = signAs(COMMITTEE, { ...vote, value: NIL });
  for (const message of [first, second, first, second]) peer.receive(encodeMessage(wire, message));
  assert.equal(peer.conflicts.length, 1);
  const [conflict] = peer.conflicts;
  assert.ok(conflict !== undefined);
  const bytes = encodeEvidence(wire, conflict);
  const decoded = decodeEvidence(bytes);
  const guilty = checkEvidence(decoded, set, CHAIN_ID);
  assert.ok(equalBytes(guilty.id, COMMITTEE.members[3]?.id as Uint8Array));

  const evidence = conflictOf(wire, bytes);
  const ports = evidencePorts(wire, () => set, 34_560);
  assert.equal(checkConflict(evidence, HEIGHT, ports), undefined);
  const accepted = acceptEvidence(new Map(), evidence, HEIGHT, ports);
  assert.ok(accepted.type === 'accepted');
  assert.ok(equalBytes(fromHex(accepted.validator), guilty.id));
  assert.deepEqual(acceptEvidence(accepted.register, evidence, height(HEIGHT + 1), ports), {
    type: 'refused',
    reason: 'already_accepted',
  });
});

test('two proposals of one turn are evidence too, and both orders give the same bytes', () => {
  const { wire, set } = COMMITTEE;
  const proposal = { ...vote, kind: 'proposal', value: 'cd'.repeat(48) as CutId } as const;
  const first = signAs(COMMITTEE, proposal);
  const second = signAs(COMMITTEE, { ...proposal, value: 'ce'.repeat(48) as CutId });
  const bytes = encodeEvidence(wire, { first, second });
  assert.deepEqual(encodeEvidence(wire, { first: second, second: first }), bytes);
  assert.equal(checkEvidence(decodeEvidence(bytes), set, CHAIN_ID).stake, 2n);
});

test('two signatures over the same bytes are no offence', () => {
  const [peer] = makePeers(COMMITTEE, 1);
  assert.ok(peer !== undefined);
  peer.start();
  const [one, other] = [signAs(COMMITTEE, vote), signAs(COMMITTEE, vote)];
  assert.ok(!equalBytes(one.signature, other.signature));
  assert.deepEqual(signedBytesOf(COMMITTEE.wire, one), signedBytesOf(COMMITTEE.wire, other));
  for (const message of [one, other]) peer.receive(encodeMessage(COMMITTEE.wire, message));
  assert.deepEqual(peer.conflicts, []);
  assert.throws(() => encodeEvidence(COMMITTEE.wire, { first: one, second: other }), {
    code: 'bad_evidence',
  });
});

test('a vote under another set, chain, key or bit is refused before the machine sees it', () => {
  const stranger = makeCommittee('strangers', [3n, 1n, 2n, 2n]);
  const [peer] = makePeers(COMMITTEE, 1);
  assert.ok(peer !== undefined);
  peer.start();
  const bytes = encodeMessage(COMMITTEE.wire, signAs(COMMITTEE, vote));
  const changed = bytes.slice();
  changed[200] = (changed[200] as number) ^ 1;
  peer.receive(changed);
  assert.deepEqual(peer.refused, ['bad_signature']);
  const elsewhere = { ...COMMITTEE, wire: { ...COMMITTEE.wire, chainId: new Uint8Array(48) } };
  peer.receive(encodeMessage(COMMITTEE.wire, signAs(elsewhere, vote)));
  assert.deepEqual(peer.refused, ['bad_signature', 'bad_signature']);
  assert.throws(() => peer.receive(encodeMessage(stranger.wire, signAs(stranger, vote))), {
    code: 'wrong_validator_set',
  });
  assert.equal(peer.state.keeper.records.length, 0);
});
