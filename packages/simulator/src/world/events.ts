/**
 * Everything that can be due at a moment of virtual time.
 */
import type { WireMessage } from 'svc-finality';
import type { Timed } from '../base/event-queue.ts';
import type { Node } from '../node/node.ts';

export type Occurrence =
  | { type: 'deliver'; node: Node; from: number; message: WireMessage; withBodies: boolean }
  /** Timers and late answers: gone if the node has restarted since or they were cancelled. */
  | { type: 'call'; node: Node; life: number; call: (() => void) | undefined }
  | { type: 'restart'; node: Node }
  | { type: 'mischief'; node: Node }
  | { type: 'clockJump'; node: Node }
  /** What an operator does. */
  | { type: 'mishap'; call: () => void }
  | { type: 'partition' }
  | { type: 'heal' };

export type WorldEvent = Timed & Occurrence;
