/**
 * What must hold in every state of the system. Each looks at what was signed and decided, not at how
 * the machine came to it.
 */
import type { CutId } from 'svc-consensus/machine';
import type { NodeState } from './node-table.ts';
import {
  CUTS,
  describeSaying,
  HONEST,
  NIL_CUT,
  QUORUM,
  SAYINGS,
  type Saying,
  sayingOf,
  type World,
} from './universe.ts';

/** A validator that was shown a commit certificate, and the cut it was for. */
export interface Decision {
  readonly certified: number;
  readonly after: NodeState;
}

interface System {
  readonly nodes: readonly NodeState[];
  readonly decisions: readonly Decision[];
  readonly world: World;
}

export type SystemInvariant = (system: System) => string | undefined;

/** An assertion of the machine failed, or one validator signed two messages for one place. */
function noFault({ nodes, decisions }: System): string | undefined {
  const all = [...nodes, ...decisions.map(({ after }) => after)];
  const faulty = all.find(({ fault }) => fault !== undefined);
  return faulty === undefined ? undefined : `validator ${faulty.self}: ${faulty.fault}`;
}

/** One cut at most is decided, by votes held or by a certificate; and a certificate does decide. */
export function agreement({ nodes, decisions }: System): string | undefined {
  const undecided = decisions.find(
    ({ certified, after }) => after.state.decided?.value !== CUTS[certified],
  );
  const decided = new Set(nodes.flatMap(({ state }) => state.decided?.value ?? []));
  for (const { certified } of decisions) decided.add(CUTS[certified] as CutId);
  if (decided.size > 1) return 'two cuts were decided';
  return undecided === undefined
    ? undefined
    : `validator ${undecided.after.self} does not decide what is certified`;
}

/** No honest validator votes for or decides a cut that is invalid. */
function validity({ nodes, decisions, world }: System): string | undefined {
  if (world.isSecondValid) return undefined;
  if (decisions.some(({ certified }) => certified === 1)) return 'the invalid cut is certified';
  for (const { self, sent } of nodes) {
    const said = saidBy(sent).find(
      (index) => saying(index).cut === 1 && saying(index).slot !== 'proposal',
    );
    if (said !== undefined) return `validator ${self}: ${describeSaying(said)}, which is invalid`;
  }
  return undefined;
}

/** A precommit for a cut and a prevote for one proposed again stand on a polka that exists. */
function polkasExist({ nodes }: System): string | undefined {
  for (const { self, sent } of nodes)
    for (const index of saidBy(sent)) {
      const { slot, round, cut, validRound } = saying(index);
      if (cut === NIL_CUT || slot === 'proposal') continue;
      const since = slot === 'precommit' ? round : validRound;
      if (since !== -1 && !isPolka(nodes, since, cut))
        return `validator ${self}: ${describeSaying(index)} without a polka in round ${since}`;
    }
  return undefined;
}

/** Who precommitted a cut prevotes for another only when that one has a polka as late. */
function locksHold({ nodes }: System): string | undefined {
  for (const { self, sent } of nodes)
    for (const lock of saidBy(sent).filter((index) => isLocking(saying(index))))
      for (const index of saidBy(sent)) {
        const { slot, round, cut, validRound } = saying(index);
        if (slot !== 'prevote' || cut === NIL_CUT || cut === saying(lock).cut) continue;
        if (round > saying(lock).round && validRound < saying(lock).round)
          return `validator ${self}: ${describeSaying(lock)}, then ${describeSaying(index)}`;
      }
  return undefined;
}

/** The lock and the valid value are what the validator's own precommits and polkas say. */
function locksMatchPrecommits({ nodes }: System): string | undefined {
  for (const { self, sent, state } of nodes) {
    const { locked } = state.round;
    const last = saidBy(sent).findLast((index) => isLocking(saying(index)));
    if (last === undefined && locked === undefined) continue;
    const cut = locked === undefined ? -1 : CUTS.indexOf(locked.value);
    if (last !== undefined && saying(last).cut === cut && saying(last).round === locked?.round)
      continue;
    return `validator ${self} is locked on ${cut} since ${locked?.round}, precommitted otherwise`;
  }
  return undefined;
}

export const INVARIANTS: readonly SystemInvariant[] = [
  noFault,
  agreement,
  validity,
  polkasExist,
  locksHold,
  locksMatchPrecommits,
];

function isPolka(nodes: readonly NodeState[], round: number, cut: number): boolean {
  return [-1, 0].some((validRound) => {
    const index = sayingOf('prevote', round, cut, validRound);
    if (index === -1) return false;
    const count = HONEST.filter((place) => (nodes[place] as NodeState).sent & (1 << index)).length;
    return count >= QUORUM - 1;
  });
}

function isLocking({ slot, cut }: Saying): boolean {
  return slot === 'precommit' && cut !== NIL_CUT;
}

function saying(index: number): Saying {
  return SAYINGS[index] as Saying;
}

function saidBy(sent: number): number[] {
  return SAYINGS.flatMap((_, index) => (sent & (1 << index) ? [index] : []));
}
