/**
 * What others can make an honest validator do is bounded: the signatures that it sends in answer to the questions of one
 * validator, and the late precommits of one validator that it checks and logs in one height.
 */
import type { Effect, Input, Vote } from 'svc-finality';
import { limits } from 'svc-finality';
import type { Node } from '../node/node.ts';
import type { Checker } from './checker.ts';

/** Signatures in a second: two rounds of votes and two polkas of 64 validators for each period without progress. */
const UNITS_PER_SECOND = 640;
/** What somebody who has just come back may have at once, twice. */
const UNITS_AT_ONCE_MAX = 1_536;
/** The round of the own certificate, and rounds that headers claim: twice as many, since one claim may displace another. */
const LOGGED_ROUNDS_MAX = 1 + 2 * limits.CLAIMED_ROUNDS_MAX;
/** Rounds that are kept as evidence are checked too. */
const CHECKED_ROUNDS_MAX = LOGGED_ROUNDS_MAX + limits.SUMMARY_ROUNDS_MAX;

interface Account {
  units: number;
  atMs: number;
}

/** Of one process at one height. */
interface Work {
  readonly life: number;
  readonly height: number;
  readonly answers: Map<number, Account>;
  /** Rounds of late precommits that were checked and logged, by their signer. */
  readonly checked: Map<number, Set<number>>;
  readonly logged: Map<number, Set<number>>;
}

export function boundedWork(): Checker {
  const all = new Map<Node, Work>();
  const workOf = (node: Node): Work => {
    const { life } = node;
    const { height } = node.state.context;
    const known = all.get(node);
    if (known?.life === life && known.height === height) return known;
    const answers = known?.life === life ? known.answers : new Map<number, Account>();
    const work = { life, height, answers, checked: new Map(), logged: new Map() };
    all.set(node, work);
    return work;
  };
  return {
    onEffect(world, node, effect) {
      if (effect.type !== 'append' || effect.input.type !== 'vote') return;
      const { vote } = effect.input;
      if (vote.height !== node.state.context.height - 1) return;
      const count = countRound(workOf(node).logged, vote);
      if (count <= LOGGED_ROUNDS_MAX) return;
      world.fail(
        'boundedWork',
        `validator ${node.index} logged late precommits of ${vote.validatorIndex} in ${count} rounds`,
      );
    },
    onStep(world, node, _before, input, { effects }) {
      if (!isQuestion(input)) return;
      const { answers } = workOf(node);
      const asker = world.chain.validatorAt(node.state.context.height, input.from) ?? -1;
      const account = answers.get(asker) ?? { units: 0, atMs: node.now };
      const left = account.units - ((node.now - account.atMs) * UNITS_PER_SECOND) / 1_000;
      account.units = Math.max(0, left) + unitsOf(effects);
      account.atMs = node.now;
      answers.set(asker, account);
      if (account.units > UNITS_AT_ONCE_MAX)
        world.fail(
          'boundedWork',
          `validator ${node.index} answered ${asker} with ${Math.floor(account.units)} signatures at once`,
        );
    },
    onChecked(world, node, messages) {
      const { height } = node.state.context;
      for (const message of messages) {
        if (message.kind !== 'precommit' || message.height !== height - 1) continue;
        const count = countRound(workOf(node).checked, message);
        if (count > CHECKED_ROUNDS_MAX)
          world.fail(
            'boundedWork',
            `validator ${node.index} checked late precommits of ${message.validatorIndex} in ${count} rounds`,
          );
      }
    },
  };
}

/** Adds the round of a late precommit, and answers how many there are of its signer. */
function countRound(all: Map<number, Set<number>>, { validatorIndex, round }: Vote): number {
  const rounds = all.get(validatorIndex) ?? new Set();
  all.set(validatorIndex, rounds.add(round));
  return rounds.size;
}

function isQuestion(
  input: Input,
): input is Extract<Input, { type: 'summary' | 'polkaRequest' | 'precommitsRequest' }> {
  const { type } = input;
  return type === 'summary' || type === 'polkaRequest' || type === 'precommitsRequest';
}

function unitsOf(effects: readonly Effect[]): number {
  let units = 0;
  for (const effect of effects) {
    if (effect.type !== 'send') continue;
    const { message } = effect;
    const isCertificate =
      message.kind === 'polkaCertificate' || message.kind === 'commitCertificate';
    units += isCertificate ? message.signatures.length : 1;
  }
  return units;
}
