/**
 * What an actor is: a way to depart from the honest node. It signs whatever it likes with its own key; it can never sign
 * for others.
 */
import type { BehaviourOf } from '../node/behaviour-of.ts';
import type { Node } from '../node/node.ts';

export type Behaviour = BehaviourOf<Node>;
