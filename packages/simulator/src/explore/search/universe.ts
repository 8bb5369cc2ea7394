/**
 * Everything that can be said or happen in the small world that is explored: four validators of equal
 * stake, the last one Byzantine, two cuts, two rounds. Messages have numbers, so that sets of them
 * are bits.
 */
import {
  type CommitCertificate,
  type CutId,
  createValidatorSet,
  height,
  type Input,
  NIL,
  type PolkaCertificate,
  type Proposal,
  RULES,
  type Rules,
  round,
  type UnsignedMessage,
  type Value,
  type Vote,
} from 'svc-consensus/machine';

export const VALIDATORS = 4;
export const BYZANTINE = 3;
export const HONEST: readonly number[] = [0, 1, 2];
export const ROUNDS = 2;
export const QUORUM = 3;
export const HEIGHT = height(1);
export const CUTS: readonly CutId[] = ['a', 'b'].map((digit) => digit.repeat(96) as CutId);
export const SET = createValidatorSet('explored', [1n, 1n, 1n, 1n]);

/** Cuts by number; nil is the number after them. */
export const NIL_CUT = 2;

export type Slot = 'prevote' | 'precommit' | 'proposal';

/** What one validator can say: the same list for each of them. */
export interface Saying {
  readonly slot: Slot;
  readonly round: number;
  readonly cut: number;
  readonly validRound: number;
}

export const SAYINGS: readonly Saying[] = [
  ...[0, 1, NIL_CUT].map((cut) => saying('prevote', 0, cut, -1)),
  ...[0, 1, NIL_CUT].map((cut) => saying('prevote', 1, cut, -1)),
  ...[0, 1].map((cut) => saying('prevote', 1, cut, 0)),
  ...[0, 1, NIL_CUT].map((cut) => saying('precommit', 0, cut, -1)),
  ...[0, 1, NIL_CUT].map((cut) => saying('precommit', 1, cut, -1)),
  ...[0, 1].map((cut) => saying('proposal', 0, cut, -1)),
  ...[0, 1].map((cut) => saying('proposal', 1, cut, -1)),
  ...[0, 1].map((cut) => saying('proposal', 1, cut, 0)),
];

function saying(slot: Slot, at: number, cut: number, validRound: number): Saying {
  return { slot, round: at, cut, validRound };
}

export function sayingOf(slot: Slot, at: number, cut: number, validRound = -1): number {
  return SAYINGS.findIndex(
    (one) =>
      one.slot === slot && one.round === at && one.cut === cut && one.validRound === validRound,
  );
}

/** The sayings that share a place: an honest validator says one of them at most. */
export function sayingsAt(slot: Slot, at: number): number[] {
  return SAYINGS.flatMap((one, index) => (one.slot === slot && one.round === at ? [index] : []));
}

export function numberOf(message: UnsignedMessage): number {
  const cut = message.value === NIL ? NIL_CUT : CUTS.indexOf(message.value);
  return sayingOf(message.kind, message.round, cut, message.validRound);
}

/**
 * Events are numbered: first every saying of every validator, then certificates, timers, and
 * the application's built cuts.
 */
export const MESSAGE_EVENTS = VALIDATORS * SAYINGS.length;
const PREVOTES = SAYINGS.flatMap((one, index) =>
  one.slot === 'prevote' && one.cut !== NIL_CUT ? [index] : [],
);
const PRECOMMITS = SAYINGS.flatMap((one, index) =>
  one.slot === 'precommit' && one.cut !== NIL_CUT ? [index] : [],
);
export const CERTIFIED: readonly number[] = [...PREVOTES, ...PRECOMMITS];
const TIMERS = ['propose', 'prevote', 'precommit'] as const;
export const TIMER_EVENTS: number = MESSAGE_EVENTS + CERTIFIED.length;
export const BUILD_EVENTS: number = TIMER_EVENTS + ROUNDS * TIMERS.length;
export const EVENTS: number = BUILD_EVENTS + CUTS.length;

export function messageEvent(validator: number, index: number): number {
  return validator * SAYINGS.length + index;
}

export function certificateEvent(index: number): number {
  return MESSAGE_EVENTS + CERTIFIED.indexOf(index);
}

export function timerEvent(timer: (typeof TIMERS)[number], at: number): number {
  return TIMER_EVENTS + at * TIMERS.length + TIMERS.indexOf(timer);
}

export function buildEvent(cut: number): number {
  return BUILD_EVENTS + cut;
}

/** The input that an event is, for a node in the given round. */
export function inputOf(event: number, currentRound: number): Input {
  if (event < MESSAGE_EVENTS) return MESSAGE_INPUTS[event] as Input;
  if (event < TIMER_EVENTS) return CERTIFICATE_INPUTS[event - MESSAGE_EVENTS] as Input;
  if (event < BUILD_EVENTS) {
    const { timer, of } = timerOf(event);
    return { type: 'timer', timer, height: HEIGHT, round: round(of), nowMs: 0n };
  }
  const value = CUTS[event - BUILD_EVENTS] as CutId;
  return { type: 'cutBuilt', height: HEIGHT, round: round(currentRound), value };
}

function timerOf(event: number): { timer: (typeof TIMERS)[number]; of: number } {
  const number = event - TIMER_EVENTS;
  const timer = TIMERS[number % TIMERS.length] as (typeof TIMERS)[number];
  return { timer, of: Math.floor(number / TIMERS.length) };
}

function messageOf(validatorIndex: number, index: number): Vote | Proposal {
  const { slot, round: at, cut, validRound } = SAYINGS[index] as Saying;
  const value: Value = CUTS[cut] ?? NIL;
  const place = { height: HEIGHT, round: round(at), validRound: round(validRound), validatorIndex };
  return { ...place, kind: slot, value, signature: Uint8Array.of(validatorIndex) } as
    | Vote
    | Proposal;
}

const MESSAGE_INPUTS: readonly Input[] = Array.from({ length: MESSAGE_EVENTS }, (_, event) => {
  const message = messageOf(Math.floor(event / SAYINGS.length), event % SAYINGS.length);
  return message.kind === 'proposal'
    ? { type: 'proposal', proposal: message, cutTimeMs: 0n, receivedAtMs: 0n }
    : { type: 'vote', vote: message };
});

/** Signed by the Byzantine validator and two others; who they are makes no difference to the machine. */
const CERTIFICATE_INPUTS: readonly Input[] = CERTIFIED.map((index) => {
  const { slot, round: at, cut, validRound } = SAYINGS[index] as Saying;
  const signers = { signers: 0b1110n, signatures: [1, 2, 3].map((of) => Uint8Array.of(of)) };
  const said = { height: HEIGHT, round: round(at), value: CUTS[cut] as CutId, ...signers };
  if (slot === 'precommit') {
    const certificate: CommitCertificate = { kind: 'commitCertificate', ...said };
    return { type: 'commitCertificate', certificate };
  }
  const certificate: PolkaCertificate = {
    kind: 'polkaCertificate',
    validRound: round(validRound),
    ...said,
  };
  return { type: 'polkaCertificate', certificate };
});

export function describeSaying(index: number): string {
  const { slot, round: at, cut, validRound } = SAYINGS[index] as Saying;
  const again = validRound === -1 ? '' : ` again since ${validRound}`;
  return `${slot} ${['a', 'b', 'nil'][cut]}${again} in round ${at}`;
}

export interface World {
  /** The proposers of the two rounds. */
  readonly proposers: readonly number[];
  /** Whether the second cut is valid; the first always is. */
  readonly isSecondValid: boolean;
  /** How many rounds are explored, one or two; a validator beyond them says nothing more. */
  readonly rounds: number;
  readonly rules: Rules;
}

const PROPOSERS: readonly (readonly number[])[] = [
  [BYZANTINE, 0, 1, 2],
  [0, BYZANTINE, 1, 2],
  [0, 1, 2, BYZANTINE],
];

export const WORLDS: readonly World[] = PROPOSERS.flatMap((proposers) =>
  [true, false].map((isSecondValid) => ({
    proposers,
    isSecondValid,
    rounds: ROUNDS,
    rules: RULES,
  })),
);

export function describeWorld({ proposers, isSecondValid }: World): string {
  const names = proposers
    .slice(0, 2)
    .map((index) => (index === BYZANTINE ? 'Byzantine' : `honest ${index}`));
  return `proposers ${names.join(', ')}; ${isSecondValid ? 'both cuts valid' : 'one cut invalid'}`;
}
