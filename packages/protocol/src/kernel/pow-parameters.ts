/**
 * The sizes of the proof of work on each network, and the limits of this implementation;
 * `docs/protocol.md` 7. Item and page counts are prime, as Ethash wants them.
 */
import type { Network } from '../base/networks.ts';

export const POW_LABEL = 'SVC_POW_V1';
export const POW_SEED_BYTES = 32;
export const POW_HEADER_BYTES = 312;
/** The nonce ends the header. */
export const POW_NONCE_BYTES = 24;
export const POW_TARGET_BYTES = 32;
export const POW_HASH_BYTES = 32;

/** One item of cache or dataset. */
export const POW_ITEM_BYTES = 64;
/** What one access of a hash reads: two dataset items. */
export const POW_PAGE_BYTES = 128;

/** A seed serves this many intervals. */
export const POW_PERIOD_INTERVALS = 30;

export interface PowSizes {
  readonly cacheBytes: number;
  readonly datasetBytes: number;
}

const FULL_SIZES: PowSizes = {
  cacheBytes: 524_287 * POW_ITEM_BYTES,
  datasetBytes: 16_777_213 * POW_PAGE_BYTES,
};

export const POW_SIZES: Readonly<Record<Network, PowSizes>> = {
  mainnet: FULL_SIZES,
  testnet: FULL_SIZES,
  testnet100: FULL_SIZES,
  development: {
    cacheBytes: 4_093 * POW_ITEM_BYTES,
    datasetBytes: 131_071 * POW_PAGE_BYTES,
  },
};

/** Cache, dataset and the kernel's own memory together stay below the 4 GiB of 32-bit addresses. */
export const POW_CACHE_BYTES_MAX = 512 * 1024 * 1024;
export const POW_DATASET_BYTES_MAX = 3 * 1024 * 1024 * 1024;
export const POW_INPUT_BYTES_MAX = 4096;
export const POW_SEARCH_COUNT_MAX = 2 ** 24;
export const POW_THREADS_MAX = 256;
