/**
 * What may happen next, in two ways.
 *
 * Plain: one event to one validator, in any order. The Byzantine validator can have said anything to
 * anybody at any time.
 *
 * Lazy: timers run out whenever they like, and what a validator is told is only what makes a rule fire:
 * proposals, polkas where two honest validators have prevoted alike, and whatever the liar can say that
 * makes it sign at once (nothing else, unless a rule is broken). Nothing is lost by that.
 * Rules fire as soon as they can, and what is held can only make more of them fire; so whatever a
 * validator signs after messages that it had no use for, it also signs without them. Rounds that end
 * for other reasons end here by a timer. Decisions send nothing, so they are not moves: that there
 * could be two is a property of what was signed. Random plain walks test that they reach nothing else.
 */
import type { NodeTable } from './node-table.ts';
import {
  buildEvent,
  CERTIFIED,
  certificateEvent,
  HONEST,
  messageEvent,
  NIL_CUT,
  QUORUM,
  ROUNDS,
  SAYINGS,
  type Saying,
  type Slot,
  sayingOf,
  sayingsAt,
  timerEvent,
  VALIDATORS,
} from './universe.ts';

/** Events for one validator, one after another. */
export type Move = readonly number[];

/** What a validator could be told: by everybody else, and by certificates of two honest ones. */
export class Outlook {
  readonly table: NodeTable;
  readonly number: number;
  readonly self: number;
  /** Sayings of each validator that exist. */
  readonly said: readonly number[];

  constructor(table: NodeTable, state: readonly number[], place: number) {
    this.table = table;
    this.number = state[place] as number;
    this.self = place;
    const said = HONEST.map((other) => table.at(state[other] as number).sent);
    this.said = [...said, -1];
  }

  get node() {
    return this.table.at(this.number);
  }

  isHeld(from: number, index: number): boolean {
    return (((this.node.held[from] as number) >> index) & 1) === 1;
  }

  isSaid(from: number, index: number): boolean {
    return (((this.said[from] as number) >> index) & 1) === 1;
  }

  /** Whether the saying exists, and the place that it would take here is free. */
  isNews(from: number, index: number): boolean {
    if (from === this.self || !this.isSaid(from, index)) return false;
    const { slot, round } = SAYINGS[index] as Saying;
    return !PLACES[placeOf(slot, round)]?.some((other) => this.isHeld(from, other));
  }

  /** Two honest validators said it: with the Byzantine one that makes a certificate. */
  isCertifiable(index: number): boolean {
    return HONEST.filter((from) => this.isSaid(from, index)).length >= QUORUM - 1;
  }

  proposer(round: number): number {
    return this.table.world.proposers[round] as number;
  }
}

const SLOTS: readonly Slot[] = ['prevote', 'precommit', 'proposal'];
const placeOf = (slot: Slot, round: number) => SLOTS.indexOf(slot) * ROUNDS + round;
const PLACES: readonly (readonly number[])[] = SLOTS.flatMap((slot) =>
  Array.from({ length: ROUNDS }, (_, round) => sayingsAt(slot, round)),
);
const at = (slot: Slot, round: number) => PLACES[placeOf(slot, round)] as readonly number[];

export function plainMoves(view: Outlook): Move[] {
  const { state } = view.node;
  const { round, step, prevoteTimerSet, precommitTimerSet } = state.round;
  if (step === 'decided') return [];
  const moves: Move[] = [];
  for (let from = 0; from < VALIDATORS; from++)
    for (let index = 0; index < SAYINGS.length; index++) {
      const { slot, round: spoken } = SAYINGS[index] as Saying;
      if (spoken >= view.table.world.rounds) continue;
      if (slot === 'proposal' && view.proposer(spoken) !== from) continue;
      if (from !== view.self && view.isSaid(from, index) && !view.isHeld(from, index))
        moves.push([messageEvent(from, index)]);
    }
  for (const index of CERTIFIED)
    if (view.isCertifiable(index)) moves.push([certificateEvent(index)]);
  if (round >= view.table.world.rounds) return moves;
  if (step === 'propose') moves.push([timerEvent('propose', round)]);
  if (step === 'prevote' && prevoteTimerSet) moves.push([timerEvent('prevote', round)]);
  if (precommitTimerSet) moves.push([timerEvent('precommit', round)]);
  for (const cut of view.table.buildable(view.number)) moves.push([buildEvent(cut)]);
  return moves;
}

export function lazyMoves(view: Outlook): Move[] {
  const { round, step, polkaSeen } = view.node.state.round;
  if (step === 'decided' || round >= view.table.world.rounds) return [];
  const moves: Move[] = view.table.provocations(view.number).map((event) => [event]);
  if (step === 'propose') moves.push(...answersToProposals(view, round));
  if (step === 'prevote') moves.push([timerEvent('prevote', round)]);
  if (step === 'prevote' || (step === 'precommit' && !polkaSeen))
    moves.push(...polkas(view, round));
  moves.push([timerEvent('precommit', round)], ...roundsWithPolka(view, round));
  return moves;
}

/** Into the next round with a polka of this one, which its proposer then proposes again. */
function roundsWithPolka(view: Outlook, round: number): Move[] {
  if (view.proposer(round + 1) !== view.self) return [];
  return at('prevote', round).flatMap((index) => {
    if ((SAYINGS[index] as Saying).cut === NIL_CUT || !view.isCertifiable(index)) return [];
    return [[certificateEvent(index), timerEvent('precommit', round)]];
  });
}

function answersToProposals(view: Outlook, round: number): Move[] {
  const moves: Move[] = [[timerEvent('propose', round)]];
  for (const cut of view.table.buildable(view.number)) moves.push([buildEvent(cut)]);
  const from = view.proposer(round);
  for (const index of at('proposal', round)) {
    if (!view.isNews(from, index)) continue;
    const { cut, validRound } = SAYINGS[index] as Saying;
    const proposal = messageEvent(from, index);
    const polka = sayingOf('prevote', validRound, cut);
    if (validRound === -1) moves.push([proposal]);
    else if (view.isCertifiable(polka)) moves.push([certificateEvent(polka), proposal]);
  }
  return moves;
}

function polkas(view: Outlook, round: number): Move[] {
  const from = view.proposer(round);
  return at('proposal', round).flatMap((proposal) => {
    const { cut, validRound } = SAYINGS[proposal] as Saying;
    const polka = sayingOf('prevote', round, cut, validRound);
    if (!view.isCertifiable(polka)) return [];
    if (view.isHeld(from, proposal)) return [[certificateEvent(polka)]];
    if (from === view.self || !view.isSaid(from, proposal)) return [];
    return [[messageEvent(from, proposal), certificateEvent(polka)]];
  });
}
