import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededBytes } from '../../test/seeded-bytes.ts';
import { expectRefused } from '../../test/testing/expect-refused.ts';
import { sampleCommittee, signVote } from '../../test/testing/validators.ts';
import { concatBytes } from '../base/bytes.ts';
import { LABELS } from '../base/labels.ts';
import { init } from '../entry/node.ts';
import { hashLabel } from '../kernel/hash-label.ts';
import { decodeCutBody, encodeCutBody, evidenceRoot, registeredRoot } from './cut-body.ts';
import { evidenceOfVotes } from './evidence.ts';

await init();

const COMMITTEE = sampleCommittee(1n);
const CONTENT = {
  kind: 'precommit',
  height: 9n,
  round: 4,
  validRound: -1,
  cutId: seededBytes('cut', 48),
  validatorSetId: COMMITTEE.set.id,
} as const;
const EVIDENCE = evidenceOfVotes(
  signVote(COMMITTEE, 0, CONTENT),
  signVote(COMMITTEE, 0, { ...CONTENT, cutId: undefined }),
);
const IDS = Array.from({ length: 257 }, (_, index) => seededBytes(`block ${index}`, 48));

test('bodies come back as they were, the empty and the fullest too', () => {
  const full = { blockIds: IDS.slice(0, 256), evidence: [EVIDENCE, EVIDENCE, EVIDENCE, EVIDENCE] };
  for (const body of [{ blockIds: [], evidence: [] }, full]) {
    assert.deepEqual(decodeCutBody(encodeCutBody(body)), body);
  }
});

test('more than 256 blocks or 4 pieces of evidence are refused', () => {
  expectRefused(() => encodeCutBody({ blockIds: IDS, evidence: [] }), 'out_of_range');
  const evidence = Array.from({ length: 5 }, () => EVIDENCE);
  expectRefused(() => encodeCutBody({ blockIds: [], evidence }), 'out_of_range', 'body.evidence');
  expectRefused(() => decodeCutBody(Uint8Array.of(0x81, 0x02)), 'out_of_range', 'body.blockIds');
  expectRefused(() => decodeCutBody(Uint8Array.of(0, 5)), 'out_of_range', 'body.evidence');
});

test('a block is registered once', () => {
  const [id] = IDS as [Uint8Array];
  expectRefused(() => encodeCutBody({ blockIds: [id, id], evidence: [] }), 'bad_cut');
  const bytes = concatBytes(Uint8Array.of(2), id, id, Uint8Array.of(0));
  expectRefused(() => decodeCutBody(bytes), 'bad_cut', 'body.blockIds');
});

test('cut short or lengthened, a body is refused', () => {
  const bytes = encodeCutBody({ blockIds: IDS.slice(0, 2), evidence: [EVIDENCE] });
  for (const length of [0, 1, 48, 96, 97, 98, bytes.length - 1]) {
    expectRefused(() => decodeCutBody(bytes.subarray(0, length)), 'truncated');
  }
  expectRefused(() => decodeCutBody(concatBytes(bytes, bytes)), 'trailing_bytes');
});

test('roots are the labelled hashes of what a body holds', () => {
  const ids = IDS.slice(0, 3);
  assert.deepEqual(registeredRoot(ids), hashLabel(LABELS.registered, concatBytes(...ids)));
  const body = encodeCutBody({ blockIds: [], evidence: [EVIDENCE] });
  assert.deepEqual(evidenceRoot([EVIDENCE]), hashLabel(LABELS.evidence, body.subarray(1)));
  assert.deepEqual(evidenceRoot([]), hashLabel(LABELS.evidence, Uint8Array.of(0)));
});
