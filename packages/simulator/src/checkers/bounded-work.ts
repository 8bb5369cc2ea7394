/**
 * What others can make an honest validator do is bounded: the signatures that it sends in answer to the questions of one
 * validator, and the late precommits of one validator that it checks in one height.
 */
import type { Effect, Input } from 'svc-finality';
import { limits } from 'svc-finality';
import type { Node } from '../node/node.ts';
import type { Checker } from './checker.ts';

/** Signatures in a second: two rounds of votes and two polkas of 64 validators for each period without progress. */
const UNITS_PER_SECOND = 640;
/** What somebody who has just come back may have at once, twice. */
const UNITS_AT_ONCE_MAX = 1_536;
/** Rounds that are kept for the next header, rounds that are kept as evidence, and as many again for a round that moves on. */
const LATE_ROUNDS_MAX = 4 * limits.SUMMARY_ROUNDS_MAX;

interface Account {
  units: number;
  atMs: number;
}

/** Of one process at one height. */
interface Work {
  readonly life: number;
  readonly height: number;
  readonly answers: Map<number, Account>;
  readonly lateRounds: Map<number, Set<number>>;
}

export function boundedWork(): Checker {
  const all = new Map<Node, Work>();
  const workOf = (node: Node): Work => {
    const { life } = node;
    const { height } = node.state.context;
    const known = all.get(node);
    if (known?.life === life && known.height === height) return known;
    const answers = known?.life === life ? known.answers : new Map<number, Account>();
    const work = { life, height, answers, lateRounds: new Map() };
    all.set(node, work);
    return work;
  };
  return {
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
        const { lateRounds } = workOf(node);
        const { validatorIndex, round } = message;
        const rounds = lateRounds.get(validatorIndex) ?? new Set();
        lateRounds.set(validatorIndex, rounds.add(round));
        if (rounds.size > LATE_ROUNDS_MAX)
          world.fail(
            'boundedWork',
            `validator ${node.index} checked late precommits of ${validatorIndex} in ${rounds.size} rounds`,
          );
      }
    },
  };
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
