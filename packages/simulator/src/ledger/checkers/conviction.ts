/**
 * Who is caught is punished: once an honest node that saw two messages contradict each other has a cut
 * of its own decided, built after that and without a restart in between, their author is gone.
 */
import type { Checker } from '../../checkers/checker.ts';
import type { Node } from '../../node/node.ts';
import type { LedgerLevel } from '../ledger-level.ts';

interface Sighting {
  readonly node: Node;
  readonly life: number;
  /** Cuts of this height and above were built later. */
  readonly fromHeight: number;
  readonly offender: number;
}

export function conviction(level: LedgerLevel): Checker {
  const sightings = new Map<string, Sighting>();
  return {
    onConflict(world, node, { first }) {
      const { life } = node;
      const offender = world.chain.validatorAt(first.height, first.validatorIndex);
      if (offender === undefined) return;
      const fromHeight = node.chainState.height + 2;
      const name = `${node.index}/${life}/${offender}`;
      if (!sightings.has(name)) sightings.set(name, { node, life, fromHeight, offender });
    },
    atEnd(world) {
      for (const { node, life, fromHeight, offender } of sightings.values()) {
        const later = node.disk.chain.slice(fromHeight - 1);
        const hasProposed = later.some(
          ({ cut }) => world.chain.validatorAt(cut.height, cut.proposer) === node.index,
        );
        if (node.life !== life || !hasProposed || level.replicaOf(node).isRemoved(offender))
          continue;
        world.fail('conviction', `validator ${node.index} saw ${offender} sign twice in vain`);
      }
    },
  };
}
