/**
 * Explores what one height hands to the next, exhaustively within its bounds: for everything that can have been signed at
 * the first height, every state that each honest validator can be in at the second, and every pair of them. Validators
 * do not depend on each other there: what one hears and when says nothing about what another hears, so all pairs exist.
 *
 * Bounds: four validators, one of them Byzantine; one cut; precommits for it in round 0, in one later round, and, of the
 * Byzantine validator, in as many rounds more as it takes to fill the tables of late precommits, heard one after another.
 */
import { obtainFault, type Proposer, proposerOf } from './claims.ts';
import { describeFirst, type FirstHeight, playFirst } from './first-height.ts';
import { isAtSecond, type Reached, reach, wayTo } from './reach.ts';
import { HAND_OVER, type HandOver } from './setting.ts';

export interface HandOverOptions {
  readonly hasJunk: boolean;
  /** The most states of one validator. */
  readonly statesMax: number;
  readonly handOver?: HandOver;
}

export interface HandOverFound {
  /** States of single validators. */
  readonly states: number;
  /** Pairs of a proposer and another validator that were compared. */
  readonly pairs: number;
  readonly violation: HandOverViolation | undefined;
}

export interface HandOverViolation {
  readonly reason: string;
  /** What was signed, and how the proposer and the other validator came to where they are. */
  readonly path: readonly string[];
}

interface Claimant extends Proposer {
  readonly reached: Reached;
}

export function exploreHandOver(
  firsts: readonly FirstHeight[],
  options: HandOverOptions,
): HandOverFound {
  const found = { states: 0, pairs: 0, violation: undefined };
  const { handOver = HAND_OVER } = options;
  for (const first of firsts) {
    const states = playFirst(first).map((node) => reach(node, first, { ...options, handOver }));
    for (const each of states) found.states += each.length;
    const seconds = states.map((each) => each.filter(({ node }) => isAtSecond(node)));
    const claimants = seconds.flatMap((each) => claimantsOf(each, handOver));
    for (const claimant of claimants)
      for (const other of seconds.flat()) {
        if (other.node.self === claimant.node.self) continue;
        found.pairs += 1;
        const reason = obtainFault(claimant, other.node, handOver);
        if (reason === undefined) continue;
        return { ...found, violation: { reason, path: pathOf(first, claimant, other) } };
      }
  }
  return found;
}

/** One validator of each kind that others can tell apart. */
function claimantsOf(states: readonly Reached[], handOver: HandOver): Claimant[] {
  const claimants = new Map<string, Claimant>();
  for (const reached of states) {
    const proposer = proposerOf(reached.node, handOver);
    if (!claimants.has(proposer.key)) claimants.set(proposer.key, { ...proposer, reached });
  }
  return [...claimants.values()];
}

function pathOf(first: FirstHeight, { claim, reached, node }: Claimant, other: Reached): string[] {
  const claimed = `claims ${claim.signers.toString(2)} in round ${claim.round}`;
  return [
    describeFirst(first),
    `proposer ${node.self}: ${wayTo(reached).join('; ')}; ${claimed}`,
    `validator ${other.node.self}: ${wayTo(other).join('; ')}`,
  ];
}
