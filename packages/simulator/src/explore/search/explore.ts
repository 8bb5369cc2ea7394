/**
 * Breadth-first over the distinct states of the system until there is no new one or the limit is
 * reached. Every new state is checked; the first one that breaks an invariant ends the search, with
 * the shortest way there.
 */
import { type Decision, INVARIANTS, type SystemInvariant } from './invariants.ts';
import { lazyMoves, type Move, Outlook } from './moves.ts';
import { NodeTable, type nodeKey, shortKey } from './node-table.ts';
import { type Renaming, renamingsOf, Symmetry } from './symmetry.ts';
import {
  CERTIFIED,
  certificateEvent,
  describeSaying,
  HONEST,
  SAYINGS,
  type Saying,
  type World,
} from './universe.ts';

/**
 * The set of system states met so far: triples of node numbers in the order they were found, which is
 * also the queue of a breadth-first search. Open addressing over typed arrays: millions fit.
 */
class StateTable {
  readonly #triples: Int32Array;
  readonly #parents: Int32Array;
  readonly #slots: Int32Array;
  #size = 0;

  /** `capacity` states at most. */
  constructor(capacity: number) {
    this.#triples = new Int32Array(3 * capacity);
    this.#parents = new Int32Array(capacity);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * capacity + 1)));
  }

  get size(): number {
    return this.#size;
  }

  get isFull(): boolean {
    return this.#size === this.#parents.length;
  }

  node(index: number, place: number): number {
    return this.#triples[3 * index + place] as number;
  }

  parent(index: number): number {
    return this.#parents[index] as number;
  }

  /** Whether the state is new; a new one is taken in, and the table must not be full. */
  add(a: number, b: number, c: number, parent: number): boolean {
    const mask = this.#slots.length - 1;
    let slot = hash(a, b, c) & mask;
    for (let found = this.#slots[slot] as number; found !== 0; ) {
      const at = 3 * (found - 1);
      if (this.#triples[at] === a && this.#triples[at + 1] === b && this.#triples[at + 2] === c)
        return false;
      slot = (slot + 1) & mask;
      found = this.#slots[slot] as number;
    }
    if (this.isFull) throw new RangeError('the state table is full');
    this.#triples.set([a, b, c], 3 * this.#size);
    this.#parents[this.#size] = parent;
    this.#size += 1;
    this.#slots[slot] = this.#size;
    return true;
  }
}

function hash(a: number, b: number, c: number): number {
  let value = Math.imul(a, 0x9e37_79b1) ^ Math.imul(b, 0x85eb_ca6b) ^ Math.imul(c, 0xc2b2_ae35);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b_3c6d);
  value = Math.imul(value ^ (value >>> 12), 0x297a_2d39);
  return (value ^ (value >>> 15)) >>> 0;
}

export interface Violation {
  readonly reason: string;
  /** The states on the way, one line for each. */
  readonly path: readonly string[];
}

interface ExploreOptions {
  readonly statesMax: number;
  /** What may happen next, and which states are the same then; lazy moves by default. */
  readonly movesOf?: (view: Outlook) => Move[];
  readonly keyOf?: typeof nodeKey;
  /** What must hold; by default everything that can be checked. */
  readonly invariants?: readonly SystemInvariant[];
  /** Names that may be exchanged; by default all that the world allows. */
  readonly renamings?: readonly Renaming[];
}

const DECIDING: readonly number[] = CERTIFIED.filter(
  (index) => (SAYINGS[index] as Saying).slot === 'precommit',
);

type Triple = readonly [number, number, number];

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
    this.#movesOf = options.movesOf ?? lazyMoves;
    this.nodes = new NodeTable(world, options.keyOf ?? shortKey);
    this.#symmetry = new Symmetry(this.nodes, options.renamings ?? renamingsOf(world));
    this.#states = new StateTable(options.statesMax);
  }

  run() {
    this.#take(this.nodes.initial as Triple, -1);
    let levelEnd = this.#states.size;
    let at = 0;
    for (; at < this.#states.size && this.#goesOn(); at++) {
      if (at === levelEnd) {
        this.#depth += 1;
        levelEnd = this.#states.size;
      }
      this.#expand(at);
    }
    return {
      states: this.#states.size,
      /** Whether there was nothing left to explore. */
      isComplete: at === this.#states.size && this.#goesOn(),
      depth: this.#depth,
      transitions: this.#transitions,
      /** Distinct states of a single validator. */
      nodeStates: this.nodes.nodes.length,
      /** States in which a cut can be decided from what was signed. */
      decidable: this.#decidable,
      /** Rows of the transition table that fired. */
      rows: [...this.nodes.rows].sort((a, b) => a - b),
      violation: this.#violation,
    };
  }

  /** What each validator has signed, state by state. */
  *signed(): Generator<readonly number[]> {
    for (let index = 0; index < this.#states.size; index++)
      yield this.#triple(index).map((number) => this.nodes.at(number).sent);
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

/**
 * Breadth-first over the distinct states of the system until there is no new one or the limit is
 * reached. Every new state is checked; the first one that breaks an invariant ends the search, with
 * the shortest way there.
 */
export function explore(world: World, options: ExploreOptions) {
  return new Explorer(world, options).run();
}
