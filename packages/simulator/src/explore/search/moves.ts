import type { NodeTable } from './node-table.ts';
import {
  buildEvent,
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
} from './universe.ts';

/** Events for one validator, one after another. */
export type Move = readonly number[];

/** What a validator could hear: from all others, and in certificates of two honest ones. */
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
