/**
 * How a Byzantine validator departs from the honest node it is made of. It signs whatever it likes
 * with its own key; it can never sign for others.
 */
import type { Node } from '../node/node.ts';
import type { Cut } from '../world/cut.ts';
import type { Payload } from '../world/payload.ts';

export interface Behaviour {
  /** Processes that run with the same key, unaware of each other. */
  readonly instances?: number;
  /** What is sent to a recipient instead of the honest payload. */
  readonly outgoing?: (node: Node, to: number, payload: Payload) => readonly Payload[];
  /** What is proposed instead of the honest cut. */
  readonly build?: (node: Node, cut: Cut) => Cut;
  /** Something extra, on every message that arrives. */
  readonly hears?: (node: Node, payload: Payload) => void;
  /** Something extra, now and then. */
  readonly mischief?: (node: Node) => void;
}

export function messagePayload(
  message: Extract<Payload, { type: 'message' }>['message'],
  cut?: Cut,
  withBodies = true,
): Payload {
  return { type: 'message', message, cut, withBodies };
}
