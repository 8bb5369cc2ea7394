/**
 * Breadth-first over the distinct states of the system until there is no new one or the limit is
 * reached. Every new state is checked; the first one that breaks an invariant ends the search, with
 * the shortest way there.
 */
import { type Decision, INVARIANTS, type SystemInvariant } from './invariants.ts';
import { lazyMoves, type Move, Outlook, plainMoves } from './moves.ts';
import { nodeKey, shortKey } from './node-key.ts';
import { NodeTable, type World } from './node-table.ts';
import { projectionOf } from './projection.ts';
import { StateTable } from './state-table.ts';
import { type Renaming, renamingsOf, Symmetry } from './symmetry.ts';
import {
  CERTIFIED,
  certificateEvent,
  describeSaying,
  HONEST,
  SAYINGS,
  type Saying,
} from './universe.ts';

export interface Exploration {
  readonly states: number;
  /** Whether there was nothing left to explore. */
  readonly isComplete: boolean;
  readonly depth: number;
  readonly transitions: number;
  /** Distinct states of a single validator. */
  readonly nodeStates: number;
  /** States in which a cut can be decided from what was signed. */
  readonly decidable: number;
  /** Rows of the transition table that fired. */
  readonly rows: readonly number[];
  readonly violation: Violation | undefined;
}

export interface Violation {
  readonly reason: string;
  /** The states on the way, one line for each. */
  readonly path: readonly string[];
}

export interface ExploreOptions {
  readonly statesMax: number;
  readonly moves: 'lazy' | 'plain';
  /** What must hold; by default everything that can be checked. */
  readonly invariants?: readonly SystemInvariant[];
  /** Names that may be exchanged; by default all that the world allows. */
  readonly renamings?: readonly Renaming[];
  readonly onProgress?: (states: number, depth: number) => void;
}

const DECIDING: readonly number[] = CERTIFIED.filter(
  (index) => (SAYINGS[index] as Saying).slot === 'precommit',
);

type Triple = readonly [number, number, number];

const PROGRESS_STATES = 100_000;

export class Explorer {
  readonly nodes: NodeTable;
  readonly #symmetry: Symmetry;
  readonly #states: StateTable;
  readonly #options: ExploreOptions;
  readonly #movesOf: (view: Outlook) => Move[];
  #transitions = 0;
  #decidable = 0;
  #depth = 0;
  #violation: Violation | undefined;

  constructor(world: World, options: ExploreOptions) {
    this.#options = options;
    const isLazy = options.moves === 'lazy';
    this.#movesOf = isLazy ? lazyMoves : plainMoves;
    this.nodes = new NodeTable(world, isLazy ? shortKey : nodeKey);
    this.#symmetry = new Symmetry(this.nodes, options.renamings ?? renamingsOf(world));
    this.#states = new StateTable(options.statesMax);
  }

  run(): Exploration {
    this.#take(this.nodes.initial as Triple, -1);
    let levelEnd = this.#states.size;
    let at = 0;
    for (; at < this.#states.size && this.#goesOn(); at++) {
      if (at === levelEnd) {
        this.#depth += 1;
        levelEnd = this.#states.size;
      }
      if (at % PROGRESS_STATES === 0) this.#options.onProgress?.(this.#states.size, this.#depth);
      this.#expand(at);
    }
    return {
      states: this.#states.size,
      isComplete: at === this.#states.size && this.#goesOn(),
      depth: this.#depth,
      transitions: this.#transitions,
      nodeStates: this.nodes.nodes.length,
      decidable: this.#decidable,
      rows: [...this.nodes.rows].sort((a, b) => a - b),
      violation: this.#violation,
    };
  }

  /** What the states found show to the outside. */
  projections(): Set<string> {
    const found = new Set<string>();
    for (let index = 0; index < this.#states.size; index++) {
      const sent = this.#triple(index).map((number) => this.nodes.at(number).sent);
      found.add(projectionOf(sent, this.#symmetry.renamings));
    }
    return found;
  }

  #goesOn(): boolean {
    return this.#violation === undefined && !this.#states.isFull;
  }

  #expand(index: number): void {
    const state = this.#triple(index);
    for (const place of HONEST)
      for (const move of this.#movesOf(new Outlook(this.nodes, state, place))) {
        if (!this.#goesOn()) return;
        this.#transitions += 1;
        const before = state[place] as number;
        const after = move.reduce((number, event) => this.nodes.after(number, event), before);
        if (after === before) continue;
        const next: [number, number, number] = [...state];
        next[place] = after;
        this.#take(next, index);
      }
  }

  #take(state: Triple, parent: number): void {
    const [a, b, c] = this.#symmetry.canonical(state);
    if (!this.#states.add(a, b, c, parent)) return;
    const index = this.#states.size - 1;
    const nodes = [a, b, c].map((number) => this.nodes.at(number));
    const decisions = this.#decisions([a, b, c]);
    if (decisions.length > 0) this.#decidable += 1;
    for (const invariant of this.#options.invariants ?? INVARIANTS) {
      const reason = invariant({ nodes, decisions, world: this.nodes.world });
      if (reason === undefined) continue;
      this.#violation = { reason, path: this.#pathTo(index) };
      return;
    }
  }

  /** What becomes of each validator that is shown a certificate that exists. */
  #decisions(state: Triple): Decision[] {
    return HONEST.flatMap((place) => {
      const view = new Outlook(this.nodes, state, place);
      return DECIDING.flatMap((index) => {
        if (!view.isCertifiable(index)) return [];
        const after = this.nodes.after(state[place] as number, certificateEvent(index));
        return [{ certified: (SAYINGS[index] as Saying).cut, after: this.nodes.at(after) }];
      });
    });
  }

  #triple(index: number): Triple {
    return [this.#states.node(index, 0), this.#states.node(index, 1), this.#states.node(index, 2)];
  }

  #pathTo(index: number): string[] {
    const path: string[] = [];
    for (let at = index; at !== -1; at = this.#states.parent(at))
      path.unshift(
        this.#triple(at)
          .map((number) => this.#describe(number))
          .join(' | '),
      );
    return path;
  }

  #describe(number: number): string {
    const { self, sent, state } = this.nodes.at(number);
    const said = SAYINGS.flatMap((_, index) =>
      sent & (1 << index) ? [describeSaying(index)] : [],
    );
    const decided = state.decided === undefined ? '' : `, decided ${state.decided.value[0]}`;
    return `${self} at ${state.round.round} ${state.round.step}${decided}: ${said.join(', ')}`;
  }
}

export function explore(world: World, options: ExploreOptions): Exploration {
  return new Explorer(world, options).run();
}
