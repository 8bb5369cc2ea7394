/**
 * What may happen next, in two ways.
 *
 * Plain: one event to one validator, in any order. The Byzantine validator can have said anything to
 * anybody at any time.
 *
 * Lazy: a validator gets messages only when they make a rule fire, and no more of them than it needs.
 * Nothing is lost by that: rules fire as soon as they can, and what is held can only make more of them
 * fire; so whatever a validator signs after messages it had no use for yet, it also signs if those
 * come later or never. Each lazy move is a sequence of plain ones, so what it finds is real.
 */
import type { NodeTable } from './node-table.ts';
import {
  BYZANTINE,
  buildEvent,
  CERTIFIED,
  CUTS,
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

  /** It exists, and the place it would take here is free. */
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
      if (slot === 'proposal' && view.proposer(spoken) !== from) continue;
      if (from !== view.self && view.isSaid(from, index) && !view.isHeld(from, index))
        moves.push([messageEvent(from, index)]);
    }
  for (const index of CERTIFIED)
    if (view.isCertifiable(index)) moves.push([certificateEvent(index)]);
  if (round >= ROUNDS) return moves;
  if (step === 'propose') moves.push([timerEvent('propose')]);
  if (step === 'prevote' && prevoteTimerSet) moves.push([timerEvent('prevote')]);
  if (precommitTimerSet) moves.push([timerEvent('precommit')]);
  for (const cut of view.table.buildable(view.number)) moves.push([buildEvent(cut)]);
  return moves;
}

export function lazyMoves(view: Outlook): Move[] {
  const { round, step, polkaSeen } = view.node.state.round;
  if (step === 'decided') return [];
  const moves: Move[] = [...decisions(view)];
  if (round >= ROUNDS) return moves;
  if (step === 'propose') moves.push(...answersToProposals(view, round));
  if (step === 'prevote' || (step === 'precommit' && !polkaSeen))
    moves.push(...polkas(view, round));
  if (step === 'prevote') {
    moves.push(...gatherings(view, [sayingOf('prevote', round, NIL_CUT)], QUORUM));
    moves.push(...timeouts(view, 'prevote', round));
  }
  moves.push(...gatherings(view, [sayingOf('precommit', round, NIL_CUT)], QUORUM));
  moves.push(...timeouts(view, 'precommit', round));
  for (let later = round + 1; later < ROUNDS; later++) moves.push(...skips(view, later));
  return moves;
}

function answersToProposals(view: Outlook, round: number): Move[] {
  const moves: Move[] = [[timerEvent('propose')]];
  for (const cut of view.table.buildable(view.number)) moves.push([buildEvent(cut)]);
  const from = view.proposer(round);
  for (const index of at('proposal', round)) {
    if (!view.isNews(from, index)) continue;
    const { cut, validRound } = SAYINGS[index] as Saying;
    const proposal = messageEvent(from, index);
    if (validRound === -1) moves.push([proposal]);
    else moves.push(...proofs(view, validRound, cut).map((proof) => [...proof, proposal]));
  }
  return moves;
}

/** Ways to hold a polka of an earlier round. */
function proofs(view: Outlook, round: number, cut: number): Move[] {
  const index = sayingOf('prevote', round, cut);
  const ways: Move[] = gatherings(view, [index], QUORUM);
  if (view.isCertifiable(index)) ways.push([certificateEvent(index)]);
  if (countHeld(view, [index]) >= QUORUM) ways.push([]);
  return ways;
}

function polkas(view: Outlook, round: number): Move[] {
  const from = view.proposer(round);
  return at('proposal', round).flatMap((proposal) => {
    const isHeld = view.isHeld(from, proposal);
    if (!isHeld && (from === view.self || !view.isSaid(from, proposal))) return [];
    const { cut, validRound } = SAYINGS[proposal] as Saying;
    const index = sayingOf('prevote', round, cut, validRound);
    const ways: Move[] = gatherings(view, [index], QUORUM);
    if (view.isCertifiable(index)) ways.push([certificateEvent(index)]);
    if (!isHeld && countHeld(view, [index]) >= QUORUM) ways.push([]);
    return ways.map((way) => (isHeld ? way : [messageEvent(from, proposal), ...way]));
  });
}

/** Enough votes for anything, then the timer that they set. */
function timeouts(view: Outlook, slot: 'prevote' | 'precommit', round: number): Move[] {
  const timer = timerEvent(slot);
  const { prevoteTimerSet, precommitTimerSet } = view.node.state.round;
  if (slot === 'prevote' ? prevoteTimerSet : precommitTimerSet) return [[timer]];
  const places = at(slot, round);
  const ways = countHeld(view, places) >= QUORUM ? [[]] : gatherings(view, places, QUORUM, NIL_CUT);
  return ways.map((way) => [...way, timer]);
}

function skips(view: Outlook, later: number): Move[] {
  const indexes = [...at('prevote', later), ...at('precommit', later)];
  return gatherings(view, indexes, 2, NIL_CUT);
}

function decisions(view: Outlook): Move[] {
  const moves: Move[] = [];
  for (let round = 0; round < ROUNDS; round++)
    for (const cut of CUTS.keys()) {
      const index = sayingOf('precommit', round, cut);
      moves.push(...gatherings(view, [index], QUORUM));
      if (view.isCertifiable(index)) moves.push([certificateEvent(index)]);
    }
  return moves;
}

function countHeld(view: Outlook, indexes: readonly number[]): number {
  let count = 0;
  for (let from = 0; from < VALIDATORS; from++)
    if (indexes.some((index) => view.isHeld(from, index))) count += 1;
  return count;
}

/**
 * The ways to hold one of these sayings from `count` validators: each choice of as many others as are
 * missing. Where the sayings differ, the Byzantine validator says the one for `byzantineCut`.
 */
function gatherings(
  view: Outlook,
  indexes: readonly number[],
  count: number,
  byzantineCut?: number,
): Move[] {
  const missing = count - countHeld(view, indexes);
  if (missing <= 0) return [];
  const offers: number[] = [];
  for (let from = 0; from < VALIDATORS; from++) {
    if (indexes.some((index) => view.isHeld(from, index))) continue;
    const news = indexes.filter((index) => view.isNews(from, index));
    const chosen =
      from === BYZANTINE && byzantineCut !== undefined
        ? news.find((index) => (SAYINGS[index] as Saying).cut === byzantineCut)
        : news[0];
    if (chosen !== undefined) offers.push(messageEvent(from, chosen));
  }
  return choices(offers, missing);
}

function choices(offers: readonly number[], count: number): Move[] {
  if (count === 0) return [[]];
  return offers.flatMap((offer, index) =>
    choices(offers.slice(index + 1), count - 1).map((rest) => [offer, ...rest]),
  );
}
