/**
 * `svcd run`: a node as its configuration says, with the validator that it asks for.
 */
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import type { NodeConfig } from '../config/node-config.ts';
import { ComposedNode, type NodeContext } from './composed-node.ts';
import { mustWait, openOwnSeat, openWhenRegistered, readOwnKeys } from './own-validator.ts';

/** Keys are read first: what is refused about them is refused before anything is opened. */
export async function startNode(config: NodeConfig, context: NodeContext): Promise<ComposedNode> {
  const keys = readOwnKeys(config);
  const { log, newSignState = false } = context;
  return ComposedNode.start({
    config,
    context,
    seats: async (core, closing) => {
      if (keys === null) return [];
      const wish = { config, keys, core, newSignState, clock: SYSTEM_CLOCK, log };
      return mustWait(wish) ? [] : [await openOwnSeat(wish, closing)];
    },
    laterSeat: (core, relay, closing) => {
      if (keys === null) return undefined;
      const wish = { config, keys, core, newSignState, clock: SYSTEM_CLOCK, log };
      return mustWait(wish) ? openWhenRegistered(wish, relay, closing) : undefined;
    },
  });
}
