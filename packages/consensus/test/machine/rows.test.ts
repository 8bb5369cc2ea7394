/**
 * The transition table, row by row: what is played before, the input, the rows that fire, the
 * effects in order, and the state after.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Input, Row, Step } from '../../src/machine/index.ts';
import { initialState, NIL } from '../../src/machine/index.ts';
import {
  A,
  B,
  commit,
  context,
  describe,
  play,
  polka,
  precommit,
  prevote,
  proposed,
  timer,
  verdict,
} from './scenario.ts';

interface Case {
  readonly row: Row;
  readonly description: string;
  readonly self?: number;
  readonly before: readonly Input[];
  readonly input: Input;
  readonly rows: readonly Row[];
  readonly effects: readonly string[];
  readonly after: {
    round: number;
    step: Step;
    locked?: [number, string];
    valid?: [number, string];
  };
}

const start = timer('start');
const validA = verdict(A, 'valid');
const validB = verdict(B, 'valid');
const lockedOnA = [start, validA, proposed(1, 0, A), prevote(1, 0, A), prevote(2, 0, A)];
const inRound1 = [precommit(1, 0, NIL), precommit(2, 0, NIL), precommit(3, 0, NIL)];
const signPrevote = (at: number, value: string, valid = -1) => [
  'sync',
  `sign prevote ${at} ${value} ${valid}`,
  `broadcast prevote ${at} ${value} ${valid}`,
];
const signPrecommit = (at: number, value: string) => [
  'sync',
  `sign precommit ${at} ${value} -1`,
  `broadcast precommit ${at} ${value} -1`,
];

const CASES: readonly Case[] = [
  {
    row: 1,
    description: 'the start timer opens round 0',
    before: [],
    input: start,
    rows: [1, 4],
    effects: ['schedule propose 0 1000'],
    after: { round: 0, step: 'propose' },
  },
  {
    row: 1,
    description: 'a start timer that fires too early is set again',
    before: [],
    input: { ...start, nowMs: 9_999n } as Input,
    rows: [1],
    effects: ['scheduleStart'],
    after: { round: -1, step: 'unstarted' },
  },
  {
    row: 2,
    description: 'the proposer of a later round repeats the valid value',
    self: 2,
    before: [
      start,
      validA,
      proposed(1, 0, A),
      prevote(0, 0, A),
      prevote(1, 0, A),
      precommit(0, 0, NIL),
      precommit(1, 0, NIL),
    ],
    input: precommit(3, 0, NIL),
    rows: [17, 2, 8],
    effects: [
      'schedule propose 1 1300',
      'sync',
      'sign proposal 1 a 0',
      'broadcast proposal 1 a 0',
      ...signPrevote(1, 'a', 0),
    ],
    after: { round: 1, step: 'prevote', locked: [0, A], valid: [0, A] },
  },
  {
    row: 3,
    description: 'the proposer without a valid value asks for a cut',
    self: 1,
    before: [],
    input: start,
    rows: [1, 3],
    effects: ['schedule propose 0 1000', 'buildCut'],
    after: { round: 0, step: 'propose' },
  },
  {
    row: 5,
    description: 'the built cut is proposed and prevoted',
    self: 1,
    before: [start],
    input: { type: 'cutBuilt', height: context().height, round: 0 as never, value: A },
    rows: [5, 6],
    effects: [
      'storeCut',
      'sync',
      'sign proposal 0 a -1',
      'broadcast proposal 0 a -1',
      ...signPrevote(0, 'a'),
    ],
    after: { round: 0, step: 'prevote' },
  },
  {
    row: 6,
    description: 'a valid fresh proposal is prevoted',
    before: [start, validA],
    input: proposed(1, 0, A),
    rows: [6],
    effects: signPrevote(0, 'a'),
    after: { round: 0, step: 'prevote' },
  },
  {
    row: 6,
    description: 'a proposal whose data is missing is held until the verdict',
    before: [start, proposed(1, 0, A), verdict(A, 'unknown')],
    input: validA,
    rows: [6],
    effects: ['storeCut', ...signPrevote(0, 'a')],
    after: { round: 0, step: 'prevote' },
  },
  {
    row: 7,
    description: 'an invalid fresh proposal gets nil',
    before: [start, proposed(1, 0, A)],
    input: verdict(A, 'invalid'),
    rows: [7],
    effects: signPrevote(0, 'nil'),
    after: { round: 0, step: 'prevote' },
  },
  {
    row: 7,
    description: 'a fresh proposal of another value than the locked one gets nil',
    before: [...lockedOnA, ...inRound1, validB],
    input: proposed(2, 1, B),
    rows: [7],
    effects: signPrevote(1, 'nil'),
    after: { round: 1, step: 'prevote', locked: [0, A], valid: [0, A] },
  },
  {
    row: 7,
    description: 'a fresh proposal whose time is not plausible gets nil',
    before: [start, validA],
    input: { ...proposed(1, 0, A), cutTimeMs: 10_501n } as Input,
    rows: [7],
    effects: signPrevote(0, 'nil'),
    after: { round: 0, step: 'prevote' },
  },
  {
    row: 8,
    description: 'a repeated proposal with a polka at or above the lock is prevoted',
    before: [
      ...lockedOnA,
      ...inRound1,
      timer('propose', 1),
      precommit(1, 1, NIL),
      precommit(2, 1, NIL),
      precommit(3, 1, NIL),
      validB,
      { type: 'polkaCertificate', certificate: polka(1, B, [1, 2, 3]) },
    ],
    input: proposed(3, 2, B, 1),
    rows: [8],
    effects: signPrevote(2, 'b', 1),
    after: { round: 2, step: 'prevote', locked: [0, A], valid: [1, B] },
  },
  {
    row: 9,
    description: 'a repeated proposal with a polka below the lock gets nil',
    before: [
      start,
      timer('propose', 0),
      ...inRound1,
      validA,
      proposed(2, 1, A),
      prevote(1, 1, A),
      prevote(2, 1, A),
      precommit(1, 1, NIL),
      precommit(2, 1, NIL),
      precommit(3, 1, NIL),
      { type: 'polkaCertificate', certificate: polka(0, B, [1, 2, 3]) },
    ],
    input: proposed(3, 2, B, 0),
    rows: [9],
    effects: ['validateCut', ...signPrevote(2, 'nil')],
    after: { round: 2, step: 'prevote', locked: [1, A], valid: [1, A] },
  },
  {
    row: 10,
    description: 'no proposal in time: nil',
    before: [start],
    input: timer('propose'),
    rows: [10],
    effects: signPrevote(0, 'nil'),
    after: { round: 0, step: 'prevote' },
  },
  {
    row: 11,
    description: 'a mixed quorum of prevotes starts the prevote timer once',
    before: [start, validA, proposed(1, 0, A), prevote(1, 0, A)],
    input: prevote(2, 0, NIL),
    rows: [11],
    effects: ['schedule prevote 0 700'],
    after: { round: 0, step: 'prevote' },
  },
  {
    row: 12,
    description: 'a polka for the proposal locks it and is precommitted',
    before: lockedOnA.slice(0, -1),
    input: prevote(2, 0, A),
    rows: [12],
    effects: signPrecommit(0, 'a'),
    after: { round: 0, step: 'precommit', locked: [0, A], valid: [0, A] },
  },
  {
    row: 12,
    description: 'prevotes for the value with another valid round do not make the polka',
    before: [start, timer('propose'), ...inRound1, validA, proposed(2, 1, A), prevote(1, 1, A)],
    input: prevote(2, 1, A, 0),
    rows: [11],
    effects: ['schedule prevote 1 1000'],
    after: { round: 1, step: 'prevote' },
  },
  {
    row: 13,
    description: 'a polka seen after precommitting nil sets valid, not the lock',
    before: [
      start,
      validA,
      proposed(1, 0, A),
      prevote(1, 0, A),
      prevote(2, 0, NIL),
      timer('prevote'),
    ],
    input: prevote(3, 0, A),
    rows: [13],
    effects: [],
    after: { round: 0, step: 'precommit', valid: [0, A] },
  },
  {
    row: 14,
    description: 'a quorum of nil prevotes is precommitted nil',
    before: [start, timer('propose'), prevote(1, 0, NIL)],
    input: prevote(2, 0, NIL),
    rows: [14],
    effects: signPrecommit(0, 'nil'),
    after: { round: 0, step: 'precommit' },
  },
  {
    row: 15,
    description: 'the prevote timer runs out: precommit nil',
    before: [start, validA, proposed(1, 0, A), prevote(1, 0, A), prevote(2, 0, NIL)],
    input: timer('prevote'),
    rows: [15],
    effects: signPrecommit(0, 'nil'),
    after: { round: 0, step: 'precommit' },
  },
  {
    row: 16,
    description: 'a mixed quorum of precommits starts the precommit timer',
    before: [start, precommit(1, 0, A), precommit(2, 0, NIL)],
    input: precommit(3, 0, NIL),
    rows: [16],
    effects: ['schedule precommit 0 700'],
    after: { round: 0, step: 'propose' },
  },
  {
    row: 17,
    description: 'a quorum of nil precommits opens the next round at once',
    before: [start, precommit(1, 0, NIL), precommit(2, 0, NIL)],
    input: precommit(3, 0, NIL),
    rows: [17, 4],
    effects: ['schedule propose 1 1300'],
    after: { round: 1, step: 'propose' },
  },
  {
    row: 18,
    description: 'the precommit timer opens the next round',
    before: [start, precommit(1, 0, A), precommit(2, 0, NIL), precommit(3, 0, NIL)],
    input: timer('precommit'),
    rows: [18, 4],
    effects: ['schedule propose 1 1300'],
    after: { round: 1, step: 'propose' },
  },
  {
    row: 18,
    description: 'a precommit timer of a round that is over does nothing',
    before: [start, ...inRound1],
    input: timer('precommit', 0),
    rows: [],
    effects: [],
    after: { round: 1, step: 'propose' },
  },
  {
    row: 19,
    description: 'more than a third in a later round: follow',
    before: [start, prevote(1, 4, NIL)],
    input: precommit(2, 3, NIL),
    rows: [19, 3],
    effects: ['schedule propose 3 1900', 'buildCut'],
    after: { round: 3, step: 'propose' },
  },
  {
    row: 19,
    description: 'a proposal of an even later round, without a vote there, hides nothing',
    before: [start, proposed(3, 2, A), prevote(1, 1, NIL)],
    input: prevote(3, 1, NIL),
    rows: [19, 4],
    effects: ['schedule propose 1 1300'],
    after: { round: 1, step: 'propose' },
  },
  {
    row: 19,
    description: 'exactly one quarter is not enough',
    before: [start],
    input: prevote(1, 4, NIL),
    rows: [],
    effects: [],
    after: { round: 0, step: 'propose' },
  },
  {
    row: 20,
    description: 'a quorum of precommits for a valid cut decides it, also of an old round',
    before: [
      start,
      validA,
      proposed(1, 0, A),
      precommit(1, 0, A),
      precommit(2, 0, A),
      prevote(1, 1, NIL),
      prevote(2, 1, NIL),
    ],
    input: precommit(3, 0, A),
    rows: [20],
    effects: ['sync', 'decide a 0'],
    after: { round: 1, step: 'decided' },
  },
  {
    row: 20,
    description: 'a quorum for a cut that is not held asks for it first',
    before: [start, precommit(1, 0, A), precommit(2, 0, A)],
    input: precommit(3, 0, A),
    rows: [20, 16],
    effects: ['fetchCut', 'schedule precommit 0 700'],
    after: { round: 0, step: 'propose' },
  },
  {
    row: 21,
    description: 'a certificate decides in any state',
    before: [validA],
    input: { type: 'commitCertificate', certificate: commit(7, A, [1, 2, 3]) },
    rows: [21],
    effects: ['sync', 'decide a 7'],
    after: { round: -1, step: 'decided' },
  },
  {
    row: 21,
    description: 'a certificate waits for its cut',
    before: [start, { type: 'commitCertificate', certificate: commit(0, A, [1, 2, 3]) }],
    input: validA,
    rows: [21],
    effects: ['storeCut', 'sync', 'decide a 0'],
    after: { round: 0, step: 'decided' },
  },
  {
    row: 22,
    description: 'a polka certificate counts past the slot of an equivocator',
    before: [
      start,
      timer('propose'),
      prevote(3, 0, NIL),
      ...inRound1,
      validA,
      proposed(2, 1, A, 0),
    ],
    input: { type: 'polkaCertificate', certificate: polka(0, A, [1, 2, 3]) },
    rows: [22, 22, 8],
    effects: signPrevote(1, 'a', 0),
    after: { round: 1, step: 'prevote', valid: [0, A] },
  },
  {
    row: 22,
    description: 'a polka of an earlier round becomes the value to propose, not the lock',
    before: [start, timer('propose'), ...inRound1, validA],
    input: { type: 'polkaCertificate', certificate: polka(0, A, [1, 2, 3]) },
    rows: [22, 22],
    effects: [],
    after: { round: 1, step: 'propose', valid: [0, A] },
  },
  {
    row: 22,
    description: 'the cut of a polka is asked for from one of those who prevoted it',
    before: [start, timer('propose'), ...inRound1],
    input: { type: 'polkaCertificate', certificate: polka(0, A, [1, 2, 3]) },
    rows: [22],
    effects: ['validateCut'],
    after: { round: 1, step: 'propose' },
  },
  {
    row: 22,
    description: 'late prevotes that complete an earlier polka count as well',
    before: [start, timer('propose'), ...inRound1, validA, prevote(1, 0, A), prevote(2, 0, A)],
    input: prevote(3, 0, A),
    rows: [22],
    effects: [],
    after: { round: 1, step: 'propose', valid: [0, A] },
  },
  {
    row: 2,
    description: 'a polka that was learnt late is proposed again',
    self: 2,
    before: [
      start,
      timer('propose'),
      precommit(0, 0, NIL),
      precommit(1, 0, NIL),
      prevote(0, 0, A),
      prevote(1, 0, A),
      prevote(3, 0, A),
      validA,
      { type: 'polkaCertificate', certificate: polka(0, A, [0, 1, 3]) },
    ],
    input: precommit(3, 0, NIL),
    rows: [17, 2, 8],
    effects: [
      'schedule propose 1 1300',
      'sync',
      'sign proposal 1 a 0',
      'broadcast proposal 1 a 0',
      ...signPrevote(1, 'a', 0),
    ],
    after: { round: 1, step: 'prevote', valid: [0, A] },
  },
  {
    row: 24,
    description: 'a second, different vote is evidence and is not counted',
    before: [start, validA, proposed(1, 0, A), prevote(1, 0, A), prevote(2, 0, NIL)],
    input: prevote(2, 0, A),
    rows: [24],
    effects: ['evidence 2'],
    after: { round: 0, step: 'prevote' },
  },
  {
    row: 24,
    description: 'a third one is not reported again',
    before: [start, validA, prevote(2, 0, NIL), prevote(2, 0, A)],
    input: prevote(2, 0, B),
    rows: [],
    effects: [],
    after: { round: 0, step: 'propose' },
  },
  {
    row: 24,
    description: 'a second proposal of a round is evidence against the proposer',
    before: [start, validA, validB, proposed(1, 0, A)],
    input: proposed(1, 0, B),
    rows: [24],
    effects: ['evidence 1'],
    after: { round: 0, step: 'prevote' },
  },
];

for (const { row, description, self = 0, before, input, rows, effects, after } of CASES) {
  test(`row ${row}: ${description}`, () => {
    const prepared = play(before, initialState(context({ self }))).state;
    const played = play([input], prepared);
    assert.deepEqual(played.rows, rows);
    assert.deepEqual(describe(played.effects), effects);
    const { round, step, locked, valid } = played.state.round;
    assert.deepEqual(
      [round, step, locked && [locked.round, locked.value], valid && [valid.round, valid.value]],
      [after.round, after.step, after.locked, after.valid],
    );
  });
}
