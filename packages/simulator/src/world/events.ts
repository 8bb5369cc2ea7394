/**
 * Everything that can be due at a moment of virtual time.
 */
import type { Effect, Input } from 'svc-finality';
import type { Timed } from '../base/event-queue.ts';
import type { Node } from '../node/node.ts';
import type { Payload } from './payload.ts';

export type Occurrence =
  | { type: 'deliver'; node: Node; from: number; payload: Payload }
  /** Timers and late answers: gone if the node has restarted since. */
  | { type: 'wake'; node: Node; life: number; input: Input }
  | { type: 'antiEntropy'; node: Node; life: number; height: number }
  | { type: 'resume'; node: Node; life: number; effects: readonly Effect[] }
  | { type: 'retryFetch'; node: Node; life: number }
  | { type: 'restart'; node: Node }
  | { type: 'mischief'; node: Node }
  | { type: 'clockJump'; node: Node }
  | { type: 'partition' }
  | { type: 'heal' };

export type WorldEvent = Timed & Occurrence;
