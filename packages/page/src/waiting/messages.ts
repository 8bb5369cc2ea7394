/** Messages between the mempool screen and the worker that follows pending transactions. */
import type { PendingTransaction } from 'svc-api';
import type { Look } from './draw-areas.ts';

export type WaitingOrder =
  /** Draws on this canvas from now on. */
  | { readonly type: 'draw'; readonly canvas: OffscreenCanvas; readonly look: Look }
  /** The canvas is shown otherwise. */
  | { readonly type: 'look'; readonly look: Look }
  /** Follows the node over a new connection. */
  | { readonly type: 'connect' }
  /** Asks which transaction is drawn at a point, in pixels of the style. */
  | { readonly type: 'find'; readonly x: number; readonly y: number; readonly isChosen: boolean };

export type WaitingReply =
  | ({ readonly type: 'waiting' } & WaitingList)
  /** The node announces what arrives from now on. */
  | { readonly type: 'following' }
  | { readonly type: 'refused' }
  | { readonly type: 'found'; readonly id: string | undefined; readonly isChosen: boolean };

export interface WaitingList {
  /** The first pending transactions, in their order. */
  readonly rows: readonly PendingTransaction[];
  readonly count: number;
  /** How many of them the next block would carry. */
  readonly next: number;
}
