/**
 * How much of a node is real beneath the machine and the signer: what builds and judges its cuts.
 */

import type { Committees } from '../world/committees.ts';
import { Application } from './application.ts';
import type { Node } from './node.ts';

export interface Level {
  /** Where they are elected by the chain; otherwise the plan says who sits. */
  readonly committees?: Committees | undefined;
  /** Called at every start of the process. */
  readonly applicationOf: (node: Node) => Application;
}

/** Cuts without contents: agreement alone. */
export const FINALITY_LEVEL: Level = { applicationOf: (node) => new Application(node) };
