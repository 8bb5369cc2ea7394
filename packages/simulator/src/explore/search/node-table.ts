/**
 * Every distinct state of one honest validator, by number, and what each event makes of it. The
 * machine runs once for each pair; a state of the whole system is three numbers.
 *
 * Two machine states are the same for the exploration when every further input has the same effect
 * on both. Left out are counters of the anti-entropy, which never runs here, the order in which equal
 * things arrived, who has been accused, and signatures.
 */
import {
  type Effect,
  FinalityAssertionError,
  type FinalityState,
  type HeightContext,
  type Input,
  initialState,
  NO_ROUND,
  proposerOf,
  round,
  type SignedMessage,
  step,
  type Value,
} from 'svc-consensus/machine';
import {
  BYZANTINE,
  CUTS,
  EVENTS,
  HEIGHT,
  HONEST,
  inputOf,
  messageEvent,
  NIL_CUT,
  numberOf,
  ROUNDS,
  SAYINGS,
  type Saying,
  SET,
  sayingsAt,
  VALIDATORS,
  type World,
} from './universe.ts';

/** Beyond the explored rounds only what a validator has said and decided still matters. */
export function shortKey(state: FinalityState, sent: number, rounds: number): string {
  if (state.round.round < rounds) return nodeKey(state, sent);
  return `${state.context.self}/${sent}/${state.decided?.value}`;
}

const letter = (value: Value) => (value === null ? NIL_CUT : CUTS.indexOf(value));

export function nodeKey(state: FinalityState, sent: number): string {
  const { round, step, locked, valid } = state.round;
  const parts: (string | number)[] = [state.context.self ?? -1, round, step, sent];
  parts.push(locked === undefined ? '-' : `${locked.round}${letter(locked.value)}`);
  parts.push(valid === undefined ? '-' : `${valid.round}${letter(valid.value)}`);
  const { prevoteTimerSet, polkaSeen, precommitTimerSet } = state.round;
  parts.push(`${+prevoteTimerSet}${+polkaSeen}${+precommitTimerSet}${+state.fetching}`);
  parts.push(
    CUTS.filter((cut) => state.verdicts.has(cut))
      .map(letter)
      .join(''),
  );
  for (const certificate of [state.certified, state.decided])
    parts.push(
      certificate === undefined ? '-' : `${certificate.round}${letter(certificate.value)}`,
    );
  const { keeper } = state;
  const polkas = keeper.polkas.map((polka) => [polka.round, letter(polka.value), polka.validRound]);
  parts.push(polkas.map(String).sort().join(';'));
  for (const record of keeper.records) {
    parts.push(`r${record.round}`);
    for (const { proposal } of record.proposals)
      parts.push(`${letter(proposal.value)}${proposal.validRound}`);
    for (const table of [record.prevotes, record.precommits])
      parts.push(
        table.slots
          .map((vote) => (vote === undefined ? '.' : `${letter(vote.value)}${vote.validRound}`))
          .join(','),
      );
  }
  return parts.join('/');
}

/** One state of one validator, with what the search asks of it. */
export interface NodeState {
  readonly state: FinalityState;
  readonly self: number;
  /** What it has said, as bits over the sayings. */
  readonly sent: number;
  /** What it holds of each validator. */
  readonly held: readonly number[];
  /** How it came about, to be told again under other names. */
  readonly parent: number;
  readonly event: number;
  readonly fault: string | undefined;
}

const NONE = -1;

export class NodeTable {
  readonly world: World;
  readonly nodes: NodeState[] = [];
  readonly rows = new Set<number>();
  readonly #numbers = new Map<string, number>();
  readonly #after: Int32Array[] = [];
  readonly #provocations: (readonly number[])[] = [];
  readonly initial: readonly number[];

  readonly #keyOf: typeof shortKey;

  constructor(world: World, keyOf: typeof shortKey) {
    this.world = world;
    this.#keyOf = keyOf;
    this.initial = HONEST.map((self) => this.#start(self));
  }

  at(number: number): NodeState {
    return this.nodes[number] as NodeState;
  }

  /** The state after an event; the same number if nothing changes. */
  after(number: number, event: number): number {
    const row = this.#after[number] as Int32Array;
    const known = row[event] as number;
    if (known !== NONE) return known;
    const { state, sent, fault } = this.at(number);
    const input = inputOf(event, state.round.round);
    const next = fault === undefined ? this.#run(state, sent, input, number, event) : number;
    row[event] = next;
    return next;
  }

  #start(self: number): number {
    const context: HeightContext = {
      height: HEIGHT,
      set: SET,
      proposers: this.world.proposers,
      self,
      startAtMs: 0n,
    };
    const place = { height: HEIGHT, round: round(0), nowMs: 0n };
    const input: Input = { type: 'timer', timer: 'start', ...place };
    return this.#run(initialState(context), 0, input, NONE, NONE);
  }

  #run(
    before: FinalityState,
    sentBefore: number,
    first: Input,
    parent: number,
    event: number,
  ): number {
    let state = before;
    let sent = sentBefore;
    let fault: string | undefined;
    const waiting: Input[] = [first];
    try {
      for (let input = waiting.shift(); input !== undefined; input = waiting.shift()) {
        const result = step(state, input, this.world.rules);
        state = result.state;
        for (const row of result.rows) this.rows.add(row);
        for (const effect of result.effects) {
          waiting.push(...this.#answer(effect));
          if (effect.type !== 'sign' || effect.message.round >= this.world.rounds) continue;
          const said = numberOf(effect.message);
          fault ??= contradiction(sent, said);
          sent |= 1 << said;
        }
      }
    } catch (error) {
      if (!(error instanceof FinalityAssertionError)) throw error;
      fault = error.message;
    }
    return this.#intern(state, sent, parent, event, fault);
  }

  /** The signer signs, the application judges; both at once. */
  #answer(effect: Effect): Input[] {
    switch (effect.type) {
      case 'sign':
        if (effect.message.round >= this.world.rounds) return [];
        return [{ type: 'signed', message: withSignature(effect.message) }];
      case 'validateCut':
      case 'fetchCut': {
        const { height, value } = effect;
        const isValid = this.world.isSecondValid || value === CUTS[0];
        return [{ type: 'verdict', height, value, verdict: isValid ? 'valid' : 'invalid' }];
      }
      default:
        return [];
    }
  }

  #intern(
    state: FinalityState,
    sent: number,
    parent: number,
    event: number,
    fault: string | undefined,
  ): number {
    const key = `${this.#keyOf(state, sent, this.world.rounds)}/${fault ?? ''}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.nodes.length;
    const self = state.context.self as number;
    this.#numbers.set(key, number);
    this.nodes.push({ state, self, sent, held: heldBy(state), parent, event, fault });
    this.#after.push(new Int32Array(EVENTS).fill(NONE));
    return number;
  }

  /** What the Byzantine validator can say to make this one sign something at once. */
  provocations(number: number): readonly number[] {
    const known = this.#provocations[number];
    if (known !== undefined) return known;
    const { sent } = this.at(number);
    const found = SAYINGS.flatMap((_, index) => {
      const event = messageEvent(BYZANTINE, index);
      return this.at(this.after(number, event)).sent === sent ? [] : [event];
    });
    this.#provocations[number] = found;
    return found;
  }

  /** The cuts that this validator may be given by its own application, which builds valid ones. */
  buildable(number: number): number[] {
    const { state, self, sent } = this.at(number);
    const { round: now, step: current } = state.round;
    if (current !== 'propose' || now >= this.world.rounds) return [];
    if (proposerOf(state.context, now) !== self) return [];
    if (sayingsAt('proposal', now).some((index) => sent & (1 << index))) return [];
    return this.world.isSecondValid ? [0, 1] : [0];
  }
}

function withSignature(message: Extract<Effect, { type: 'sign' }>['message']): SignedMessage {
  return { ...message, signature: Uint8Array.of(message.validatorIndex) };
}

function contradiction(sent: number, said: number): string | undefined {
  const { slot, round: at } = SAYINGS[said] as Saying;
  const other = sayingsAt(slot, at).find((index) => index !== said && sent & (1 << index));
  return other === undefined ? undefined : `two signatures for the ${slot} of round ${at}`;
}

function heldBy(state: FinalityState): number[] {
  const held = new Array<number>(VALIDATORS).fill(0);
  const take = (message: SignedMessage | undefined) => {
    if (message === undefined || message.round >= ROUNDS || message.round === NO_ROUND) return;
    held[message.validatorIndex] =
      (held[message.validatorIndex] as number) | (1 << numberOf(message));
  };
  for (const record of state.keeper.records) {
    for (const { proposal } of record.proposals) take(proposal);
    record.prevotes.slots.forEach(take);
    record.precommits.slots.forEach(take);
  }
  return held;
}
