/**
 * Short names for the table tests: four validators of stake 1, ourselves at index 0, height 5.
 */
import type {
  CommitCertificate,
  CutId,
  Effect,
  FinalityState,
  HeightContext,
  Input,
  PolkaCertificate,
  Proposal,
  Row,
  SignedMessage,
  Value,
  Vote,
  VoteKind,
} from '../../src/machine/index.ts';
import {
  commitCertificateOf,
  createValidatorSet,
  height,
  initialState,
  NO_ROUND,
  polkaCertificateOf,
  round,
  step,
} from '../../src/machine/index.ts';

export const A = 'a'.repeat(96) as CutId;
export const B = 'b'.repeat(96) as CutId;
export const HEIGHT = height(5);
export const START = 10_000n;
export const SET = createValidatorSet('set', [1n, 1n, 1n, 1n]);

export function context(change: Partial<HeightContext> = {}): HeightContext {
  return {
    height: HEIGHT,
    set: SET,
    proposers: [1, 2, 3, 0],
    self: 0,
    startAtMs: START,
    ...change,
  };
}

export function vote(kind: VoteKind, index: number, at: number, value: Value, valid = -1): Vote {
  return {
    kind,
    height: HEIGHT,
    round: round(at),
    validRound: round(valid),
    value,
    validatorIndex: index,
    signature: new Uint8Array([index, at, valid + 1]),
  };
}

export function proposal(index: number, at: number, value: CutId, valid = -1): Proposal {
  return { ...vote('prevote', index, at, value, valid), kind: 'proposal', value };
}

export const prevote = (index: number, at: number, value: Value, valid = -1): Input => ({
  type: 'vote',
  vote: vote('prevote', index, at, value, valid),
});

export const precommit = (index: number, at: number, value: Value): Input => ({
  type: 'vote',
  vote: vote('precommit', index, at, value),
});

export const proposed = (index: number, at: number, value: CutId, valid = -1): Input => ({
  type: 'proposal',
  proposal: proposal(index, at, value, valid),
  cutTimeMs: START,
  receivedAtMs: START,
});

export const timer = (name: 'start' | 'propose' | 'prevote' | 'precommit', at = 0): Input => ({
  type: 'timer',
  timer: name,
  height: HEIGHT,
  round: round(at),
  nowMs: START,
});

export const verdict = (value: CutId, judged: 'valid' | 'invalid' | 'unknown'): Input => ({
  type: 'verdict',
  height: HEIGHT,
  value,
  verdict: judged,
});

export const polka = (at: number, value: CutId, signers: readonly number[]): PolkaCertificate =>
  polkaCertificateOf(
    signers.map((index) => vote('prevote', index, at, value)),
    value,
  );

export const commit = (at: number, value: CutId, signers: readonly number[]): CommitCertificate =>
  commitCertificateOf(
    signers.map((index) => vote('precommit', index, at, value)),
    value,
  );

export interface Played {
  readonly state: FinalityState;
  /** Effects of the last input. */
  readonly effects: readonly Effect[];
  readonly rows: readonly Row[];
}

/** Plays inputs; every `sign` effect is answered at once, as a signer without objections would. */
export function play(
  inputs: readonly Input[],
  start: FinalityState = initialState(context()),
): Played {
  let played: Played = { state: start, effects: [], rows: [] };
  for (const input of inputs) played = playOne(played.state, input);
  return played;
}

function playOne(state: FinalityState, input: Input): Played {
  const effects: Effect[] = [];
  const rows: Row[] = [];
  const waiting: Input[] = [input];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const result = step(state, next);
    state = result.state;
    effects.push(...result.effects);
    rows.push(...result.rows);
    for (const effect of result.effects)
      if (effect.type === 'sign')
        waiting.push({
          type: 'signed',
          message: { ...effect.message, signature: new Uint8Array(1) } as SignedMessage,
        });
  }
  return { state, effects, rows };
}

/** Effects without the log: `sign prevote 0 a -1`, `schedule prevote 0`, `evidence 2`, … */
export function describe(effects: readonly Effect[]): string[] {
  return effects
    .filter((effect) => effect.type !== 'append')
    .map((effect) => {
      switch (effect.type) {
        case 'sign':
        case 'broadcast': {
          const { message } = effect;
          if (message.kind === 'summary' || !('validRound' in message)) return effect.type;
          const value = message.value === null ? 'nil' : message.value.charAt(0);
          return `${effect.type} ${message.kind} ${message.round} ${value} ${message.validRound}`;
        }
        case 'send':
          return `send ${effect.to} ${effect.message.kind}`;
        case 'schedule':
          return `schedule ${effect.timer} ${effect.round} ${effect.delayMs}`;
        case 'evidence':
          return `evidence ${effect.conflict.first.validatorIndex}`;
        case 'decide':
          return `decide ${effect.certificate.value.charAt(0)} ${effect.certificate.round}`;
        default:
          return effect.type;
      }
    });
}

export { NO_ROUND };
