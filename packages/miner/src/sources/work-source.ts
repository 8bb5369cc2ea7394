/**
 * Where work comes from and finds go to: a server of the mining protocol, or a node itself. Devices know nothing of
 * it, and a source knows nothing of devices.
 */
import type { Signal } from 'svc-base/pure';
import type { PowKey } from 'svc-mining/pow';
import type { Work } from '../devices/prospector.ts';

/** What a miner stores of a share that a pool acknowledged: enough to find it in a round. */
export interface CountedShare {
  readonly poolAddress: string;
  readonly work: bigint;
  /** Height of the job that the share is of. */
  readonly jobHeight: number;
  /** Height of the newest job when the acknowledgement came. */
  readonly newestHeight: number;
}

/**
 * `lost` is emitted for every connection that ended. For one that cannot be opened it is emitted at first and then at
 * growing intervals.
 */
export type SourceEvent =
  | { readonly type: 'connecting' | 'open'; readonly server: string }
  | {
      readonly type: 'lost';
      readonly server: string;
      readonly reason: string;
      readonly retryMillis: number;
    }
  /** New work; undefined when the last one is of no more use and there is no other. */
  | {
      readonly type: 'work';
      readonly work: Work | undefined;
      readonly anchorHeight: number;
      /** About how many hashes a share takes. */
      readonly difficulty: bigint;
    }
  /** A period that is to come: its dataset can be made ahead. */
  | { readonly type: 'period'; readonly period: number; readonly key: PowKey }
  | {
      readonly type: 'answer';
      readonly isAccepted: boolean;
      /** Why a share was refused. */
      readonly refusal?: string;
      readonly message?: string;
      /** What became of a share that met the block target. */
      readonly block?: string;
      /** Difficulty of the share, not of the newest job. */
      readonly difficulty: bigint;
      readonly millis: number;
      /** What to store of a share that a pool has counted. */
      readonly counted?: CountedShare;
    }
  /** A find that could not be submitted. */
  | { readonly type: 'given_up' }
  /** A find for which there was no room, because far more is found than may be sent. */
  | { readonly type: 'crowded' }
  | { readonly type: 'show'; readonly text: string };

export interface WorkSource {
  readonly events: Signal<SourceEvent>;
  /** Finds that have no answer yet. */
  readonly unanswered: number;
  start(): void;
  submit(work: Work, nonce: Uint8Array): void;
  close(): Promise<void>;
}
