/**
 * The messages between a page and its mining worker.
 */
import type { StatisticsDocument } from '../program/statistics.ts';

export interface TabMinerOptions {
  /** A bridge or pool that takes WebSockets of this page's origin: `ws://127.0.0.1:28782/`. */
  readonly url: string;
  /** `<address>.<worker>`: the paid address and a name. */
  readonly username: string;
  /** Up to 20 characters that are written into blocks. */
  readonly tag?: string;
  /** Where the kernel `svc.wasm` is served, if it is not beside the script of the worker. */
  readonly kernelUrl?: string;
}

export type TabMinerOrder =
  | { readonly type: 'start'; readonly options: TabMinerOptions }
  | { readonly type: 'pause' | 'resume' | 'stop' };

/** `statistics` comes every second; everything else when it happens. */
export type TabMinerEvent =
  | { readonly type: 'connecting' | 'connected'; readonly server: string }
  | { readonly type: 'disconnected'; readonly reason: string; readonly retryMillis: number }
  /** The dataset is being made; `progress` goes from 0 to 1. */
  | { readonly type: 'preparing'; readonly progress: number }
  | { readonly type: 'searching' | 'paused' | 'stopped' }
  | { readonly type: 'failed'; readonly reason: string }
  | {
      readonly type: 'share';
      readonly isAccepted: boolean;
      readonly reason?: string;
      /** The outcome of a share that is a block: `accepted`, `known`, `late`, `used`, `refused` or `unknown`. */
      readonly block?: string;
    }
  /** A text of the server, which a page must show as text and never as markup. */
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'statistics'; readonly statistics: StatisticsDocument };
