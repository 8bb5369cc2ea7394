/**
 * What must hold in every state of the system. Each looks at what was signed and decided, not at how
 * the machine came to it.
 */
import type { NodeState, World } from './node-table.ts';
import {
  CUTS,
  describeSaying,
  HONEST,
  NIL_CUT,
  QUORUM,
  SAYINGS,
  type Saying,
  sayingOf,
} from './universe.ts';

export type SystemInvariant = (nodes: readonly NodeState[], world: World) => string | undefined;

/** An assertion of the machine failed, or one validator signed two messages for one place. */
function noFault(nodes: readonly NodeState[]): string | undefined {
  const faulty = nodes.find(({ fault }) => fault !== undefined);
  return faulty === undefined ? undefined : `validator ${faulty.self}: ${faulty.fault}`;
}

function agreement(nodes: readonly NodeState[]): string | undefined {
  const decided = new Set(nodes.flatMap(({ state }) => state.decided?.value ?? []));
  return decided.size > 1 ? 'two cuts were decided' : undefined;
}

/** Nobody honest votes for or decides a cut that is invalid. */
function validity(nodes: readonly NodeState[], { isSecondValid }: World): string | undefined {
  if (isSecondValid) return undefined;
  const decided = nodes.find(({ state }) => state.decided?.value === CUTS[1]);
  if (decided !== undefined) return `validator ${decided.self} decided the invalid cut`;
  for (const { self, sent } of nodes) {
    const said = saidBy(sent).find(
      (index) => saying(index).cut === 1 && saying(index).slot !== 'proposal',
    );
    if (said !== undefined) return `validator ${self}: ${describeSaying(said)}, which is invalid`;
  }
  return undefined;
}

/** A precommit for a cut and a prevote for one proposed again stand on a polka that exists. */
function polkasExist(nodes: readonly NodeState[]): string | undefined {
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
function locksHold(nodes: readonly NodeState[]): string | undefined {
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
function locksMatchPrecommits(nodes: readonly NodeState[]): string | undefined {
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
