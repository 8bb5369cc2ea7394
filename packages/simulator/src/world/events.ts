/**
 * Everything that can be due at a moment of virtual time. Events of all kinds are made alike, with the same fields in
 * the same order: the engine reads the fields of one kind of object much faster than those of eight.
 */
import type { WireMessage } from 'svc-consensus/machine';
import type { Node } from '../node/node.ts';

export type Occurrence =
  | {
      type: 'deliver';
      node: Node;
      from: number;
      via: number;
      message: WireMessage;
      withBodies: boolean;
    }
  /** Timers and late answers: gone if the node has restarted since or they were cancelled. */
  | { type: 'call'; node: Node; life: number; call: (() => void) | undefined }
  | { type: 'restart'; node: Node }
  | { type: 'mischief'; node: Node }
  | { type: 'clockJump'; node: Node }
  /** What an operator does. */
  | { type: 'mishap'; call: () => void }
  | { type: 'partition' }
  | { type: 'heal' };

export type WorldEvent = Occurrence;

interface Fields {
  type: Occurrence['type'];
  node: Node | undefined;
  from: number;
  via: number;
  message: WireMessage | undefined;
  withBodies: boolean;
  life: number;
  call: (() => void) | undefined;
}

type EventOf<Type extends Occurrence['type']> = Extract<WorldEvent, { type: Type }>;

export function deliveryOf(
  node: Node,
  from: number,
  via: number,
  message: WireMessage,
  withBodies: boolean,
): EventOf<'deliver'> {
  const type = 'deliver';
  const event: Fields = { type, node, from, via, message, withBodies, life: 0, call: undefined };
  return event as EventOf<'deliver'>;
}

export function callOf(node: Node, life: number, call: () => void): EventOf<'call'> {
  const type = 'call';
  const message = undefined;
  const event: Fields = { type, node, from: 0, via: 0, message, withBodies: false, life, call };
  return event as EventOf<'call'>;
}

/** For what happens rarely. */
export function eventOf(occurrence: Occurrence): WorldEvent {
  const {
    type,
    node,
    from = 0,
    via = 0,
    message,
    withBodies = false,
    life = 0,
    call,
  }: Partial<Fields> = occurrence;
  const event = { type, node, from, via, message, withBodies, life, call };
  return event as WorldEvent;
}
