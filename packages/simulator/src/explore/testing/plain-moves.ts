/**
 * Another way to explore, which shows that lazy moves miss nothing: one event to one validator, in any order. The Byzantine
 * validator can have said anything to any other at any time.
 */
import type { Random } from '../../base/random.ts';
import type { Explorer } from '../search/explore.ts';
import { type Move, Outlook } from '../search/moves.ts';
import { NodeTable, nodeKey } from '../search/node-table.ts';
import { type Renaming, renameSaying } from '../search/symmetry.ts';
import {
  buildEvent,
  CERTIFIED,
  certificateEvent,
  HONEST,
  messageEvent,
  SAYINGS,
  type Saying,
  timerEvent,
  VALIDATORS,
  type World,
} from '../search/universe.ts';

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

/**
 * What a state of the system shows to the outside: who has signed what, up to the names that may be
 * exchanged. Two ways of exploring reach the same if they reach the same projections.
 */
export function projectionOf(sent: readonly number[], renamings: readonly Renaming[]): string {
  let least = String(sent);
  for (const renaming of renamings) {
    const image: number[] = [];
    for (const place of HONEST)
      image[renaming.validators[place] as number] = renameSent(sent[place] as number, renaming);
    const text = String(image);
    if (text < least) least = text;
  }
  return least;
}

function renameSent(sent: number, renaming: Renaming): number {
  let renamed = 0;
  for (let index = 0; index < SAYINGS.length; index++)
    if (sent & (1 << index)) renamed |= 1 << renameSaying(index, renaming);
  return renamed;
}

/**
 * A random walk by plain moves: any message, in any order, to anybody, until nothing can happen or the
 * walk is long enough. It visits few states, but none that a search could have left out by its rules.
 */
export class Walker {
  readonly #nodes: NodeTable;
  readonly #random: Random;

  constructor(world: World, random: Random) {
    this.#nodes = new NodeTable(world, nodeKey);
    this.#random = random;
  }

  /** What everybody honest had signed after each step. */
  walk(stepsMax: number): (readonly number[])[] {
    const state = [...this.#nodes.initial];
    const visited: (readonly number[])[] = [];
    for (let count = 0; count < stepsMax; count++) {
      const place = this.#random.integer(0, HONEST.length - 1);
      const moves = plainMoves(new Outlook(this.#nodes, state, place));
      if (moves.length === 0) continue;
      for (const event of this.#random.pick(moves))
        state[place] = this.#nodes.after(state[place] as number, event);
      visited.push(state.map((number) => this.#nodes.at(number).sent));
    }
    return visited;
  }
}

/** What the states found show to the outside. */
export function projectionsOf(explorer: Explorer, renamings: readonly Renaming[]): Set<string> {
  return new Set([...explorer.signed()].map((sent) => projectionOf(sent, renamings)));
}
