/**
 * A node that is behind, and what it is shown of rounds beyond its window: it joins the others whatever it was shown before,
 * and what a validator can make it check and log grows with the logarithm of the round.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  admit,
  createValidatorSet,
  type FinalityState,
  type HeightContext,
  initialState,
  limits,
  NIL,
  RULES,
  recover,
  round,
  roundTimerMs,
  step,
  TIMING,
  type Vote,
} from '../../../src/machine/index.ts';
import { summarise } from '../../../src/machine/step/anti-entropy.ts';
import { context, vote } from '../scenario.ts';

const ROUNDS_MAX = 5_000;
/** Far votes of one validator that fit into one round of ours. */
const DOUBLINGS_MAX = Math.ceil(Math.log2(limits.ROUND_MAX));

/** A node that only follows, so that nothing but votes moves it. */
class Follower {
  readonly context: HeightContext;
  state: FinalityState;
  readonly log: Parameters<typeof step>[1][] = [];
  readonly checked = new Map<number, number>();

  constructor(validators: number) {
    const set = createValidatorSet('set', new Array(validators).fill(1n));
    this.context = context({ set, self: undefined, proposers: [0] });
    this.state = initialState(this.context);
    this.#step({ type: 'startHeight', context: this.context });
  }

  get round(): number {
    return this.state.round.round;
  }

  hear(one: Vote): void {
    if (admit(this.state, one) !== 'verify') return;
    if (one.round > Math.max(this.round, 0) + limits.ROUNDS_AHEAD_MAX)
      this.checked.set(one.validatorIndex, (this.checked.get(one.validatorIndex) ?? 0) + 1);
    this.#step({ type: 'vote', vote: one });
  }

  #step(input: Parameters<typeof step>[1]): void {
    const { state, effects } = step(this.state, input);
    this.state = state;
    for (const effect of effects) if (effect.type === 'append') this.log.push(effect.input);
  }
}

const nilVote = (index: number, at: number): Vote =>
  vote(at % 2 === 0 ? 'prevote' : 'precommit', index, at, NIL);

/** Votes of one validator in so many rounds from one on, of which an honest one has been in. */
interface Shown {
  readonly of: number;
  readonly at: number;
  readonly count: number;
}

interface History {
  readonly validators: number;
  /** The final rounds of the honest validators; the others, less than a third, vote anything. */
  readonly honest: readonly number[];
  readonly shown: readonly Shown[];
  /** By how much the distance to a vote is divided for the older vote of its validator that is shown before it. */
  readonly parts: readonly number[];
}

/** Numbers of all sizes, so that doublings happen. */
const rounds = fc
  .tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 999 }))
  .map(([size, part]) => Math.min(ROUNDS_MAX, 2 ** size + Math.floor((2 ** size * part) / 1_000)));

const histories: fc.Arbitrary<History> = fc.integer({ min: 4, max: 10 }).chain((validators) => {
  const liars = Math.ceil(validators / 3) - 1;
  const shown = fc.record({
    of: fc.integer({ min: 0, max: validators - 1 }),
    at: rounds,
    count: fc.integer({ min: 1, max: 80 }),
  });
  return fc.record({
    validators: fc.constant(validators),
    honest: fc.array(rounds, { minLength: validators - liars, maxLength: validators - liars }),
    shown: fc.array(shown, { maxLength: 30 }),
    parts: fc.array(
      rounds.map((part) => part + 1),
      { minLength: 1, maxLength: 40 },
    ),
  });
});

/** The highest round that honest validators with more than a third of the stake have reached. */
function reachedBy({ validators, honest }: History): number {
  const needed = Math.floor(validators / 3) + 1;
  return honest.toSorted((a, b) => b - a)[needed - 1] ?? assert.fail();
}

function show(node: Follower, { honest, shown }: History): void {
  for (const { of, at, count } of shown)
    for (let more = 0; more < count; more++)
      node.hear(nilVote(of, Math.min(at + more, honest[of] ?? ROUNDS_MAX)));
}

/** Every honest validator repeats its vote; before it comes an older one, to have it refused, and again if that moved us. */
function repeat(node: Follower, { honest, parts }: History, repetition: number): void {
  for (const [index, at] of honest.entries()) {
    const part = parts[(repetition * honest.length + index) % parts.length] ?? assert.fail();
    for (let time = 0; time < 2; time++) {
      const base = Math.max(node.round, 0);
      const ahead = Math.max(limits.ROUNDS_AHEAD_MAX, Math.floor((at - base) / part)) + 1;
      if (base + ahead < at) node.hear(nilVote(index, base + ahead));
    }
    node.hear(nilVote(index, at));
  }
}

test('a node joins within log2 of the distance repetitions, whatever it is shown before and between them', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const node = new Follower(history.validators);
      show(node, history);
      const target = reachedBy(history);
      const distance = target - Math.max(node.round, 0);
      const repetitions = distance <= 0 ? 0 : Math.ceil(Math.log2(distance));
      for (let repetition = 0; repetition <= repetitions; repetition++)
        if (node.round < target) repeat(node, history, repetition);
      assert.ok(node.round >= target, `round ${node.round} of ${target}`);
    }),
    { numRuns: 1_500 },
  );
});

test('in one round of ours a validator has as many far votes checked as distances double, and each round lets one more in', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const node = new Follower(history.validators);
      show(node, history);
      const max = DOUBLINGS_MAX + Math.max(node.round, 0);
      for (const [index, count] of node.checked)
        assert.ok(count <= max, `${count} votes of ${index} in round ${node.round}`);
      const { state } = recover({ log: node.log, previous: undefined, holdsCut: () => true });
      assert.deepEqual(state, node.state, 'the log gives the same state');
    }),
    { numRuns: 500 },
  );
});

test('the most that a validator can have checked, round for round ahead of us', () => {
  const node = new Follower(4);
  for (let own = 0; own < 100; own++) {
    for (let ahead = 1; ahead < 300; ahead++) node.hear(nilVote(3, own + ahead));
    for (const index of [0, 1]) node.hear(nilVote(index, own + 1));
  }
  assert.equal(node.round, 100);
  const checked = node.checked.get(3) ?? 0;
  assert.ok(checked <= DOUBLINGS_MAX + 100, `${checked} votes`);
});

test('a node that is a thousand rounds behind joins with the answer to one summary', () => {
  const others = [0, 1, 2].map(() => new Follower(4));
  for (const node of others) for (const index of [0, 1, 2]) node.hear(nilVote(index, 1_000));
  const late = new Follower(4);
  for (const index of [0, 1, 2]) late.hear(nilVote(index, 600));
  assert.equal(late.round, 600);
  const summary = summarise(late.state, RULES);
  const { effects } = step(others[1]?.state ?? assert.fail(), {
    type: 'summary',
    from: 3,
    summary,
  });
  for (const effect of effects)
    if (effect.type === 'send' && 'validatorIndex' in effect.message)
      if (effect.message.kind !== 'proposal') late.hear(effect.message);
  assert.equal(late.round, 1_000);
});

test('the repetitions that a distance takes fit into the time that the others wait in that round', () => {
  const message = 200;
  for (let distance = limits.ROUNDS_AHEAD_MAX + 1; distance <= 100_000; distance++) {
    const repetitions = Math.ceil(Math.log2(distance));
    const taken = repetitions * (1.5 * TIMING.antiEntropyMs + message);
    const waited = roundTimerMs(TIMING, 'propose', round(distance));
    assert.ok(taken <= waited, `${distance} rounds: ${taken} ms of ${waited}`);
  }
});
