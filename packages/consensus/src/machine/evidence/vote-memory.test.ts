import assert from 'node:assert/strict';
import { test } from 'node:test';
import { A, B, commit, polka, proposal, vote } from '../../../test/machine/scenario.ts';
import { votesOf } from '../base/certificate.ts';
import type { SignedMessage } from '../base/messages.ts';
import { height, NIL, round } from '../base/types.ts';
import {
  disputedIn,
  HEIGHTS_REMEMBERED,
  MESSAGES_REMEMBERED_MAX,
  VoteMemory,
} from './vote-memory.ts';

/** Messages of the scenario are of height 5. */
function memoryAt(at = 5, inRound = 0, ...messages: SignedMessage[]): VoteMemory {
  const memory = new VoteMemory();
  memory.see(height(at), round(inRound));
  for (const message of messages) assert.equal(memory.add(message), undefined);
  return memory;
}

const at = <M extends SignedMessage>(message: M, where: number) =>
  ({ ...message, height: height(where) }) as M;

test('a second message that differs is a conflict, alone and inside certificates', () => {
  const memory = memoryAt(5, 0, vote('prevote', 1, 0, NIL), vote('precommit', 2, 0, NIL));
  const byPolka = votesOf(polka(0, A, [0, 1, 3])).flatMap((one) => memory.add(one) ?? []);
  assert.deepEqual(
    byPolka.map(({ second }) => second.validatorIndex),
    [1],
  );
  const byCommit = votesOf(commit(0, A, [0, 2, 3])).flatMap((one) => memory.add(one) ?? []);
  assert.deepEqual(
    byCommit.map(({ first, second }) => [first.value, second.value]),
    [[NIL, A]],
  );
  assert.equal(memory.add(vote('prevote', 1, 0, NIL)), undefined, 'a repeat is none');
});

test('a message of an earlier height is compared as long as the height is remembered', () => {
  const memory = memoryAt(5, 0, vote('prevote', 1, 0, A));
  memory.see(height(5 + HEIGHTS_REMEMBERED), round(0));
  assert.ok(memory.add(vote('prevote', 1, 0, B)) !== undefined);
  memory.see(height(6 + HEIGHTS_REMEMBERED), round(0));
  assert.equal(memory.isWanted(vote('prevote', 1, 0, B)), false);
});

test('rounds that no validator can be in and heights ahead take no room', () => {
  const memory = memoryAt(5, 1);
  for (const [message, wanted] of [
    [vote('prevote', 1, 3, A), true],
    [vote('prevote', 1, 4, A), false],
    [at(vote('prevote', 1, 0, A), 6), true],
    [at(vote('prevote', 1, 0, A), 7), false],
  ] as const)
    assert.equal(memory.isWanted(message), wanted, `${message.height}/${message.round}`);
});

test('two validators with one half each: the report of one makes the other send its half', () => {
  const one = memoryAt(5, 0, vote('prevote', 1, 0, A), vote('prevote', 2, 0, A), proposal(1, 0, A));
  const other = memoryAt(5, 0, vote('prevote', 1, 0, NIL), vote('prevote', 2, 0, A));
  const against = other.messagesAgainst(one.digestOf(height(5)));
  assert.deepEqual(
    against.map(({ validatorIndex, value }) => [validatorIndex, value]),
    [[1, NIL]],
  );
  assert.ok(one.add(against[0] as SignedMessage) !== undefined);
  assert.deepEqual(one.messagesAgainst(one.digestOf(height(5))), []);
});

test('a third validator that has neither half sees from two reports whom to ask', () => {
  const one = memoryAt(5, 0, vote('prevote', 1, 0, A), vote('prevote', 2, 0, A));
  const other = memoryAt(5, 0, vote('prevote', 1, 0, NIL), vote('prevote', 2, 0, A));
  const third = memoryAt(5, 0, vote('prevote', 2, 0, B));
  const [said, theirs] = [one, other].map((memory) => third.unseenIn(memory.digestOf(height(5))));
  assert.ok(said !== undefined && theirs !== undefined);
  assert.deepEqual(
    [...said, ...theirs].map(({ value, signers }) => [value, signers]),
    [
      [A, 2n],
      [NIL, 2n],
    ],
    'of the second validator a message is held',
  );
  assert.deepEqual(disputedIn(said, theirs), said);
  assert.deepEqual(disputedIn(theirs, said), theirs);
  assert.deepEqual(disputedIn(said, said), []);
});

test('what is kept is bounded, whatever comes', () => {
  const memory = memoryAt(1, 0);
  let added = 0;
  for (let where = 1; where <= 40; where++) {
    memory.see(height(where), round(where === 40 ? 0 : 10));
    for (let index = 0; index < 64; index++)
      for (let inRound = 2; inRound <= 12; inRound++)
        for (const kind of ['prevote', 'precommit'] as const) {
          memory.add(at(vote(kind, index, inRound, A), where));
          added++;
        }
  }
  const kept = memory
    .heights()
    .flatMap((where) => memory.digestOf(where).entries)
    .reduce((sum, { signers }) => sum + signers.toString(2).replaceAll('0', '').length, 0);
  assert.ok(added > MESSAGES_REMEMBERED_MAX && kept <= MESSAGES_REMEMBERED_MAX, `${kept}`);
});

test('a digest has one line for all validators that said the same, of the last rounds first', () => {
  const memory = memoryAt(
    5,
    1,
    vote('prevote', 1, 0, A),
    vote('prevote', 2, 0, B),
    vote('prevote', 3, 0, A),
    vote('precommit', 1, 0, A),
    vote('prevote', 1, 1, A, 0),
    vote('prevote', 2, 1, A),
  );
  const lines = memory
    .digestOf(height(5))
    .entries.map(({ kind, round, validRound, value, signers }) => [
      `${kind} ${round}/${validRound}`,
      value,
      signers,
    ]);
  assert.deepEqual(lines, [
    ['prevote 1/0', A, 2n],
    ['prevote 1/-1', A, 4n],
    ['prevote 0/-1', A, 10n],
    ['prevote 0/-1', B, 4n],
    ['precommit 0/-1', A, 2n],
  ]);
});

test('the lowest height is known without the others', () => {
  const memory = memoryAt(5, 0);
  assert.equal(memory.lowestHeight(), 5);
  memory.see(height(9), round(0));
  memory.see(height(7), round(0));
  assert.equal(memory.lowestHeight(), memory.heights()[0]);
  assert.equal(new VoteMemory().lowestHeight(), undefined);
});
