import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeightHistory } from './height-history.ts';

const HEIGHT = 9;

function diaryWith(note: (diary: HeightHistory) => void): string {
  const diary = new HeightHistory();
  diary.begin(HEIGHT, 1_000, 400);
  diary.sees(HEIGHT, 3);
  note(diary);
  return diary.reason(HEIGHT);
}

test('every missed cut has a reason that an operator can act on', () => {
  const cases: readonly [string, (diary: HeightHistory) => void][] = [
    ['no proposal seen', () => {}],
    ['the proposal was late by 250 ms', (diary) => diary.proposal(HEIGHT, 1_650, undefined)],
    [
      'voted nil because its time is 900 ms ahead of the clock here',
      (diary) => diary.proposal(HEIGHT, 1_100, 'its time is 900 ms ahead of the clock here'),
    ],
    [
      'voted nil because the cut is invalid: another stateRoot',
      (diary) => {
        diary.proposal(HEIGHT, 1_100, undefined);
        diary.judgedInvalid(HEIGHT, 'another stateRoot');
      },
    ],
    [
      'voted nil because it waited for 3 blocks',
      (diary) => {
        diary.proposal(HEIGHT, 1_100, undefined);
        diary.waitsFor(HEIGHT, '3 blocks');
        diary.rows(HEIGHT, [10]);
      },
    ],
    ['paused', (diary) => diary.paused(HEIGHT)],
    [
      'the signer refused: height_regression',
      (diary) => diary.refused(HEIGHT, 'height_regression'),
    ],
    [
      'signed, but the next proposer had not seen it',
      (diary) => {
        diary.proposal(HEIGHT, 1_100, undefined);
        diary.precommitted(HEIGHT);
      },
    ],
    ['too few votes were seen in time', (diary) => diary.proposal(HEIGHT, 1_100, undefined)],
  ];
  for (const [reason, note] of cases) assert.equal(diaryWith(note), reason);
  assert.match(diaryWith(() => {}) && new HeightHistory().reason(HEIGHT), /not running/);
});

test('without neighbours the reason is that', () => {
  const diary = new HeightHistory();
  diary.begin(HEIGHT, 1_000, 400);
  diary.sees(HEIGHT, 0);
  assert.equal(diary.reason(HEIGHT), 'not connected');
});
