/**
 * A random walk by plain moves: any message, in any order, to anybody, until nothing can happen or the
 * walk is long enough. It visits few states, but none that a search could have left out by its rules.
 */
import type { Random } from '../../base/random.ts';
import { Outlook, plainMoves } from './moves.ts';
import { nodeKey } from './node-key.ts';
import { NodeTable, type World } from './node-table.ts';
import { HONEST } from './universe.ts';

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
