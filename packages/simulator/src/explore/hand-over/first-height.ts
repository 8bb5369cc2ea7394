/**
 * What honest validators can have signed at the first height when one of them decides it: any of them may have precommitted
 * the cut in round 0, and any in a later round, which the others may not have seen.
 */
import { BYZANTINE, HONEST, QUORUM, VALIDATORS } from '../search/universe.ts';
import { give, hear, type Node, runOut, startNode, waitFor } from './node.ts';
import { DECIDED, HAND_OVER, polkaOf, proposalOf, proposed, voteOf } from './setting.ts';

/** Honest validators that precommitted the cut in round 0 and in the later round. */
export interface FirstHeight {
  readonly early: readonly number[];
  readonly late: readonly number[];
  /** A round in which the Byzantine validator proposes. */
  readonly lateRound: number;
}

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
export function signersIn({ early, late, lateRound }: FirstHeight): [number, readonly number[]][] {
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
