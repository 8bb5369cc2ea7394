/**
 * What can search nonces: a thread of the processor or a card. A device knows nothing of servers, jobs or shares; it
 * gets headers and counters and returns the nonces at or below a target.
 */
import type { PowKey } from 'svc-mining/pow';

export interface DeviceSearch {
  readonly period: number;
  readonly key: PowKey;
  /** 312 bytes. The nonce's bytes from 14 on are kept as they are, those before are the device's. */
  readonly header: Uint8Array;
  /** 32 bytes, big-endian. */
  readonly target: Uint8Array;
  /** First value of the counter. */
  readonly start: bigint;
  /** Nonces to try at most. */
  readonly count: number;
}

export interface DeviceResult {
  /** Nonces tried; the next search starts this much further. */
  readonly done: number;
  /** Nonces of 24 bytes whose hash was computed again on the processor and is at or below the target. */
  readonly nonces: readonly Uint8Array[];
  /** Finds that the processor's hash did not confirm: the device errs. */
  readonly wrong: number;
  /** Finds that did not fit into the device's report: the batch is too large for so easy a target. */
  readonly lost: number;
}

export interface Device {
  /** As `--list-devices` names it: `cpu:0`, `gpu:1`. */
  readonly id: string;
  readonly name: string;
  readonly kind: 'cpu' | 'opencl';
  /** Nonces of a first batch; later ones follow the rate. */
  readonly firstBatch: number;
  /** Batches are multiples of this and at most `batchMax`. */
  readonly batchStep: number;
  readonly batchMax: number;
  /** Prepares the dataset of a period; reports the finished share, from 0 to 1. */
  prepare(period: number, key: PowKey, onProgress: (share: number) => void): Promise<void>;
  /** Gets the dataset of a later period ready beside the one that is searched, where there is room for both. */
  prepareAhead?(period: number, key: PowKey): Promise<void>;
  /** Two searches may be under way at once; they end in their order. */
  search(search: DeviceSearch): Promise<DeviceResult>;
  close(): Promise<void>;
}

/** First byte of the nonce that no device touches: two bytes for the device's number, then the server's prefix. */
export const DEVICE_NUMBER_AT = 14;
