/**
 * `svcd run`: a node as its configuration says.
 */
import { SYSTEM_CLOCK } from './base/clock.ts';
import type { StartNode } from './cli/actions.ts';
import { ComposedNode } from './compose/composed-node.ts';
import { openOwnSeat, readOwnKeys } from './compose/own-validator.ts';

/** Keys are read first: what is refused about them is refused before anything is opened. */
export const startNode: StartNode = async (config, context) => {
  const keys = readOwnKeys(config);
  const { log, newSignState = false } = context;
  return ComposedNode.start({
    config,
    context,
    seats: async (core, closing) => {
      if (keys === null) return [];
      const wish = { config, keys, core, newSignState, clock: SYSTEM_CLOCK, log };
      return [await openOwnSeat(wish, closing)];
    },
  });
};
