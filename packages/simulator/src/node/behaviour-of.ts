/**
 * How a Byzantine validator departs from the honest one it is made of, for any class of validator: the validator that
 * has a behaviour is what the behaviour is given.
 */
import type { WireMessage } from 'svc-consensus/machine';
import type { Cut } from '../world/cut.ts';

export interface BehaviourOf<Validator> {
  /** Processes that run with the same key, unaware of each other. */
  readonly instances?: number;
  /** What is sent to a recipient instead of the honest message. */
  readonly outgoing?: (node: Validator, to: number, message: WireMessage) => readonly WireMessage[];
  /** What is proposed instead of the honest cut. */
  readonly build?: (node: Validator, cut: Cut) => Cut;
  /** Something extra, on every message that arrives. */
  readonly hears?: (node: Validator, message: WireMessage) => void;
  /** Something extra, now and then. */
  readonly mischief?: (node: Validator) => void;
}
