/**
 * What honest validators can have signed at the first height when one of them decides it, and every state in which one can
 * be once these precommits exist: it hears any of them in any order, junk of the Byzantine validator or none, decides by
 * votes or by a certificate or follows the chain, and its process restarts at any moment.
 */

import { BYZANTINE, HONEST, QUORUM, VALIDATORS } from '../search/universe.ts';
import {
  commitOf,
  DECIDED,
  follow,
  give,
  HAND_OVER,
  type HandOver,
  hear,
  JUNK_ROUNDS,
  type Node,
  polkaOf,
  proposalOf,
  proposed,
  restart,
  runOut,
  SECOND,
  startNode,
  voteOf,
  waitFor,
} from './node.ts';

const ofObjects = new WeakMap<object, number>();
const ofTexts = new Map<string, number>();

/**
 * A number for every value that is equal for equal values, whatever a machine state consists of. Machine states are never
 * changed and share most of their parts, so each object is looked at once.
 */
export function identityOf(value: unknown): number {
  if (typeof value !== 'object' || value === null)
    return numberOf(`${typeof value} ${String(value)}`);
  const known = ofObjects.get(value);
  if (known !== undefined) return known;
  const identity = numberOf(textOf(value));
  ofObjects.set(value, identity);
  return identity;
}

/** A map in the order of its entries: what was kept first may count. */
function textOf(value: object): string {
  if (value instanceof Uint8Array) return `bytes ${value.join()}`;
  if (Array.isArray(value)) return `list ${value.map(identityOf).join()}`;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return entries.map(([key, part]) => `${String(key)} ${identityOf(part)}`).join();
}

function numberOf(text: string): number {
  const known = ofTexts.get(text) ?? ofTexts.size;
  ofTexts.set(text, known);
  return known;
}

/** Honest validators that precommitted the cut in round 0 and in the later round. */
export interface FirstHeight {
  readonly early: readonly number[];
  readonly late: readonly number[];
  /** A round in which the Byzantine validator proposes. */
  readonly lateRound: number;
}

/**
 * What honest validators can have signed at the first height when one of them decides it: any of them may have precommitted
 * the cut in round 0, and any in a later round, which the others may not have seen.
 */
export function describeFirst({ early, late, lateRound }: FirstHeight): string {
  return `precommits of ${early.join()} in round 0, of ${late.join()} in round ${lateRound}`;
}

/** All of them with a certificate, up to the names of honest validators, of which so many sign in one round. */
export function firstHeights(lateRound: number, signersMax: number): FirstHeight[] {
  const known = new Set<string>();
  const signers = subsets(HONEST).filter(({ length }) => length <= signersMax);
  return signers.flatMap((early) =>
    signers.flatMap((late) => {
      const counts = [early, late, early.filter((index) => late.includes(index))];
      const name = counts.map(({ length }) => length).join();
      if (Math.max(early.length, late.length) < QUORUM - 1 || known.has(name)) return [];
      known.add(name);
      return [{ early, late, lateRound }];
    }),
  );
}

export function subsets(of: readonly number[]): number[][] {
  const all: number[][] = [[]];
  for (const one of of) all.push(...all.map((some) => [...some, one]));
  return all;
}

/** The rounds with precommits for the cut, and who signed these; the Byzantine validator may in every round. */
function signersIn({ early, late, lateRound }: FirstHeight): [number, readonly number[]][] {
  return [
    [0, [...early, BYZANTINE]],
    [lateRound, [...late, BYZANTINE]],
  ];
}

/** The honest validators when all of that is signed; each holds no precommit but its own. */
export function playFirst({ early, late, lateRound }: FirstHeight): Node[] {
  const started = HONEST.map((self) => runOut(startNode(self), 'start'));
  const first = started.map((node) => voteIn(node, 0, -1, early.includes(node.self)));
  // Who is needed for a polka in the later round goes there; others stay behind.
  const isAlone = late.length < QUORUM - 1;
  const second = first.map((node) => {
    if (late.length === 0 || !(isAlone || late.includes(node.self))) return node;
    const there = give(waitFor(node, lateRound), polkaOf(HONEST, 0, -1));
    return voteIn(there, lateRound, 0, late.includes(node.self));
  });
  for (const { self, said } of second) expectSaid(self, said, { early, late, lateRound });
  return second;
}

/** One round with the Byzantine proposal of the cut: it is prevoted, and precommitted by who sees the polka in time. */
function voteIn(node: Node, at: number, validRound: number, isPrecommitting: boolean): Node {
  const asked = give(node, proposed(proposalOf(BYZANTINE, at, validRound)));
  if (!isPrecommitting) return runOut(asked, 'prevote');
  const others = Array.from({ length: VALIDATORS }, (_, by) => by).filter((by) => by !== node.self);
  return others.reduce(
    (hearing, by) => hear(hearing, voteOf('prevote', by, at, DECIDED, validRound), HAND_OVER),
    asked,
  );
}

function expectSaid(
  self: number,
  said: Node['said'],
  { early, late, lateRound }: FirstHeight,
): void {
  const rounds = said
    .filter(({ kind, value }) => kind === 'precommit' && value === DECIDED)
    .map(({ round }) => Number(round));
  const wanted = [early.includes(self) ? 0 : [], late.includes(self) ? lateRound : []].flat();
  if (rounds.join() !== wanted.join())
    throw new Error(
      `validator ${self} precommitted in rounds ${rounds.join()}, expected ${wanted.join()}`,
    );
}

export interface Reached {
  readonly node: Node;
  /** What happened last, and before that. */
  readonly move: string;
  readonly parent: Reached | undefined;
}

interface Move {
  readonly name: string;
  readonly make: (node: Node) => Node;
}

interface ReachOptions {
  readonly handOver: HandOver;
  /** Whether the Byzantine validator precommits the decided cut in rounds that no other validator was in. */
  readonly hasJunk: boolean;
  readonly statesMax: number;
}

/** Breadth first, so that ways are short. Records in another order make no state of their own. */
export function reach(start: Node, first: FirstHeight, options: ReachOptions): Reached[] {
  const moves = movesOf(start.self, first, options);
  const reached: Reached[] = [{ node: start, move: 'signed', parent: undefined }];
  const known = new Set([keyOf(start)]);
  for (const parent of reached)
    for (const { name, make } of moves) {
      const node = make(parent.node);
      if (node === parent.node) continue;
      const key = keyOf(node);
      if (known.has(key)) continue;
      if (known.size >= options.statesMax) throw new Error(`more than ${options.statesMax} states`);
      known.add(key);
      reached.push({ node, move: name, parent });
    }
  return reached;
}

function keyOf({ state, log, synced, stored }: Node): string {
  const [durable, all] = [log.slice(0, synced), log].map((records) =>
    [...new Set(records.map(identityOf))].sort((a, b) => a - b),
  );
  return [identityOf(state), identityOf(stored), durable?.join(), all?.join()].join('/');
}

function movesOf(self: number, first: FirstHeight, { handOver, hasJunk }: ReachOptions): Move[] {
  const moves: Move[] = signersIn(first).flatMap(([at, signers]) => [
    ...signers.filter((by) => by !== self).map((by) => precommitMove(by, at, handOver)),
    ...certificateMoves(signers, at),
  ]);
  for (const isSyncedOnly of [false, true])
    moves.push({
      name: isSyncedOnly ? 'restarts without its unsynced records' : 'restarts',
      make: (node) => restart(node, isSyncedOnly, handOver),
    });
  if (hasJunk) moves.push(junkMove(handOver));
  return moves;
}

function precommitMove(by: number, at: number, handOver: HandOver): Move {
  const vote = voteOf('precommit', by, at, DECIDED);
  return {
    name: `hears the precommit of ${by} in round ${at}`,
    make: (node) => hear(node, vote, handOver),
  };
}

/** Deciding by a certificate, and beginning the next height with one because others have moved the chain. */
function certificateMoves(signers: readonly number[], at: number): Move[] {
  return subsets(signers)
    .filter(({ length }) => length >= QUORUM)
    .flatMap((some) => {
      const certificate = commitOf(some, at);
      const of = `the certificate of ${some.join()} in round ${at}`;
      return [
        {
          name: `hears ${of}`,
          make: (node: Node) =>
            isAtSecond(node) ? node : give(node, { type: 'commitCertificate', certificate }),
        },
        {
          name: `follows by ${of}`,
          make: (node: Node) => (isAtSecond(node) ? node : follow(node, certificate)),
        },
      ];
    });
}

function junkMove(handOver: HandOver): Move {
  const votes = JUNK_ROUNDS.map((at) => voteOf('precommit', BYZANTINE, at, DECIDED));
  return {
    name: `hears precommits of ${BYZANTINE} in ${votes.length} rounds of its own`,
    make: (node) => votes.reduce((hearing, vote) => hear(hearing, vote, handOver), node),
  };
}

export function isAtSecond({ state }: Node): boolean {
  return state.context.height === SECOND;
}

export function wayTo(reached: Reached): string[] {
  const way: string[] = [];
  for (let at: Reached | undefined = reached; at !== undefined; at = at.parent)
    way.unshift(at.move);
  return way;
}
