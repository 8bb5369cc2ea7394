import assert from 'node:assert/strict';
import { test } from 'node:test';
import { A, commit, play, verdict } from '../../../test/machine/scenario.ts';
import { height, round } from '../base/types.ts';
import { createPreviousCommits } from '../keeper/previous-commits.ts';
import {
  ATTENDANCE_RULE,
  creditSigners,
  hasAttended,
  startAttendance,
  windowOf,
  windowsPresent,
} from './attendance.ts';
import { checkPreviousSigners } from './previous-signers.ts';

const start = height(1001);
const last = start + 34_560 - 1;
const fresh = startAttendance(ATTENDANCE_RULE, start, 4);

test('an epoch has twelve windows of 2,880 cuts', () => {
  assert.equal(windowOf(ATTENDANCE_RULE, start, start), 0);
  assert.equal(windowOf(ATTENDANCE_RULE, start, height(start + 2879)), 0);
  assert.equal(windowOf(ATTENDANCE_RULE, start, height(start + 2880)), 1);
  assert.equal(windowOf(ATTENDANCE_RULE, start, height(last)), 11);
});

test('one signature in a window is presence, in nine windows attendance', () => {
  let attendance = fresh;
  for (let window = 0; window < 9; window++) {
    assert.equal(hasAttended(ATTENDANCE_RULE, attendance, 2), false, `${window} windows`);
    const at = height(start + window * 2880 + 1);
    attendance = creditSigners(ATTENDANCE_RULE, attendance, at, 0b0100n);
  }
  assert.equal(windowsPresent(ATTENDANCE_RULE, attendance, 2), 9);
  assert.equal(hasAttended(ATTENDANCE_RULE, attendance, 2), true);
  assert.equal(hasAttended(ATTENDANCE_RULE, attendance, 1), false);
});

test('the first header speaks about the epoch before and does not count', () => {
  const counted = creditSigners(ATTENDANCE_RULE, fresh, start, 0b1111n);
  assert.equal(windowsPresent(ATTENDANCE_RULE, counted, 0), 0);
  const second = creditSigners(ATTENDANCE_RULE, fresh, height(start + 1), 0b1111n);
  assert.equal(windowsPresent(ATTENDANCE_RULE, second, 0), 1);
});

test('the last cut counts for the last window, the next for none', () => {
  const counted = creditSigners(ATTENDANCE_RULE, fresh, height(last), 0b0001n);
  assert.equal(counted.counts[11]?.[0], 1);
  assert.equal(creditSigners(ATTENDANCE_RULE, fresh, height(last + 1), 0b0001n), fresh);
});

const { state } = play([
  verdict(A, 'valid'),
  { type: 'commitCertificate', certificate: commit(2, A, [0, 1, 2]) },
]);
const previous = state.decided && createPreviousCommits(state.keeper, state.decided);

const CLAIMS: readonly [string, number, bigint, object][] = [
  ['the signers that are held', 2, 0b0111n, { type: 'held' }],
  ['one more than is held', 2, 0b1111n, { type: 'missing', signers: 0b1000n }],
  ['signers of another round', 1, 0b0111n, { type: 'missing', signers: 0b0111n }],
  ['too few for a quorum', 2, 0b0011n, { type: 'invalid', reason: 'no_quorum' }],
  ['a signer outside the set', 2, 0b10111n, { type: 'invalid', reason: 'outside_set' }],
];
for (const [description, at, signers, expected] of CLAIMS)
  test(`a header claims ${description}`, () => {
    assert.deepEqual(checkPreviousSigners(previous, { round: round(at), signers }), expected);
  });

test('the first header of a chain claims nothing', () => {
  const claim = (signers: bigint) => checkPreviousSigners(undefined, { round: round(0), signers });
  assert.deepEqual(claim(0n), { type: 'held' });
  assert.deepEqual(claim(1n), { type: 'invalid', reason: 'not_empty' });
});
