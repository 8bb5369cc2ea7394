/**
 * Every state in which one validator can be once the precommits of the first height exist: it hears any of them in any
 * order, junk of the Byzantine validator or none, decides by votes or by a certificate or follows the chain, and its
 * process restarts at any moment.
 */
import { BYZANTINE, QUORUM } from '../search/universe.ts';
import { type FirstHeight, signersIn, subsets } from './first-height.ts';
import { identityOf } from './identity.ts';
import { follow, give, hear, type Node, restart } from './node.ts';
import { commitOf, DECIDED, type HandOver, JUNK_ROUNDS, SECOND, voteOf } from './setting.ts';

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

export interface ReachOptions {
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
