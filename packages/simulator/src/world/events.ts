/**
 * Everything that can be due at a moment of virtual time. Events of all kinds have the same fields in the same order: the
 * engine reads the fields of one kind of object much faster than those of eight.
 */
import type { WireMessage } from 'svc-consensus/machine';
import type { Node } from '../node/node.ts';

export interface WorldEvent {
  /** A delivery; a timer or late answer; or something that happens to a process or to the network. */
  readonly type: 'deliver' | 'call' | Happening;
  readonly node: Node | undefined;
  readonly from: number;
  readonly via: number;
  readonly message: WireMessage | undefined;
  readonly withBodies: boolean;
  /** Timers and late answers are gone if the node has restarted since or they were cancelled. */
  readonly life: number;
  call: (() => void) | undefined;
}

export type Happening = 'restart' | 'mischief' | 'clockJump' | 'mishap' | 'partition' | 'heal';

export function deliveryOf(
  node: Node,
  from: number,
  via: number,
  message: WireMessage,
  withBodies: boolean,
): WorldEvent {
  const type = 'deliver';
  return { type, node, from, via, message, withBodies, life: 0, call: undefined };
}

/** A call in one life of a node, or something that happens whatever its life. */
export function callOf(
  type: 'call' | Happening,
  node: Node | undefined,
  life: number,
  call: () => void,
): WorldEvent {
  return { type, node, from: 0, via: 0, message: undefined, withBodies: false, life, call };
}
