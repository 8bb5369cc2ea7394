/**
 * `svcd run`: a node as its configuration says.
 */
import type { StartNode } from './cli/actions.ts';
import { ComposedNode } from './compose/composed-node.ts';

export const startNode: StartNode = (config, context) =>
  ComposedNode.start({ config, context, seats: () => [] });
