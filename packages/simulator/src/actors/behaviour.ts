/**
 * How a Byzantine validator departs from the honest node it is made of. It signs whatever it likes
 * with its own key; it can never sign for others.
 */
import type { WireMessage } from 'svc-finality';
import type { Node } from '../node/node.ts';
import type { Cut } from '../world/cut.ts';

export interface Behaviour {
  /** Processes that run with the same key, unaware of each other. */
  readonly instances?: number;
  /** What is sent to a recipient instead of the honest message. */
  readonly outgoing?: (node: Node, to: number, message: WireMessage) => readonly WireMessage[];
  /** What is proposed instead of the honest cut. */
  readonly build?: (node: Node, cut: Cut) => Cut;
  /** Something extra, on every message that arrives. */
  readonly hears?: (node: Node, message: WireMessage) => void;
  /** Something extra, now and then. */
  readonly mischief?: (node: Node) => void;
}
