/**
 * Inputs of all kinds for one validator, most of them about its own height and round, whoever may have sent them: it has
 * to do what the model does for inputs that no committee produces too.
 */
import type { CodeNode, ModelInput, ModelMessage } from './replay.ts';
import { VALIDATORS } from './replay.ts';

const OTHERS = [1, 2, 3] as const;
const NIL = -1;
const NO_ROUND = -1;

/** A generator of numbers below a bound, from a seed. */
export type Draw = (below: number) => number;

export function drawFrom(seed: number): Draw {
  let state = BigInt(seed) + 1n;
  return (below) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffff_ffff_ffff_ffffn;
    return Number((state >> 33n) % BigInt(below));
  };
}

export function randomInput(node: CodeNode, draw: Draw): ModelInput {
  const pick = <T>(of: readonly T[]): T => of[draw(of.length)] as T;
  const { context, round: at, previous } = node.state;
  const now = Math.max(at.round, 0);
  const away = draw(12) > 0 ? 0 : pick([-1, -1, -2, 1, 2, draw(16)]);
  const round = Math.max(0, now + away);
  const earlier = pick([NO_ROUND, NO_ROUND, draw(round + 1) - 1]);
  // The third cut of a height is invalid, and only ever proposed.
  const value = 10 * context.height + draw(2);
  const invalid = 10 * context.height + 2;
  const message = (change: Partial<ModelMessage>): ModelInput => {
    const base: ModelMessage = {
      kind: 'precommit',
      height: context.height,
      round,
      validRound: NO_ROUND,
      value: pick([value, value, NIL]),
      by: pick(OTHERS),
    };
    return { tag: 'Said', value: { ...base, ...change } };
  };
  const certificate = (kind: 'commit' | 'polka', height: number, of: number): ModelInput => {
    const validRound = kind === 'polka' ? earlier : NO_ROUND;
    const signers = pick([OTHERS, [0, 1, 2], [0, 2, 3], [0, ...OTHERS]]);
    return { tag: 'Certified', value: { kind, height, round, validRound, value: of, signers } };
  };
  const prevote = () => {
    const of = pick([value, value, value, NIL]);
    return message({ kind: 'prevote', value: of, validRound: of === NIL ? NO_ROUND : earlier });
  };
  const proposal = () => {
    const by = (context.height - 1 + round) % VALIDATORS;
    return by === node.self
      ? prevote()
      : message({
          kind: 'proposal',
          value: pick([value, value, value, invalid]),
          validRound: earlier,
          by,
        });
  };
  const late = () => {
    const decided = previous?.certificate.value;
    const height = context.height - 1;
    if (decided === undefined) return prevote();
    const of = Number.parseInt(decided ?? '', 16);
    return pick([message({ height, value: of }), certificate('commit', height, of)]);
  };
  const early = () =>
    message({ height: context.height + 1, round: draw(3), kind: pick(['prevote', 'precommit']) });
  const timer = () =>
    pick(['start', 'propose', 'prevote', 'precommit', at.step === 'unstarted' ? 'start' : at.step]);
  const makers: readonly (() => ModelInput)[] = [
    proposal,
    proposal,
    prevote,
    prevote,
    prevote,
    () => message({}),
    () => message({}),
    () => certificate('polka', context.height, value),
    () => certificate('polka', context.height, value),
    late,
    early,
    () => ({
      tag: 'TimedOut',
      value: { timer: timer(), round: pick([at.round, at.round, round]) },
    }),
    () => ({ tag: 'Built', value: { round: at.round, value } }),
    () => ({ tag: 'Judged', value: { value, isValid: true } }),
    () => ({ tag: 'Judged', value: { value: invalid, isValid: false } }),
  ];
  return draw(40) === 0 ? certificate('commit', context.height, value) : pick(makers)();
}
