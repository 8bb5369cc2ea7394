/**
 * Which dataset a header is hashed with: the period of its anchor, and that period's seed and sizes.
 */
import { expectBytes, type Network } from 'svc-wasm/base';
import { POW_SIZES, type PowSizes, powPeriod, powSeed } from 'svc-wasm/kernel';
import { BLOCK_HEADER_BYTES } from 'svc-wasm/protocol';

const ANCHOR_HEIGHT_AT = 8;
const TARGET_AT = 256;
const TARGET_BYTES = 32;

/** What a cache or dataset is made from. */
export interface PowKey extends PowSizes {
  readonly seed: Uint8Array;
}

export interface PowPeriodsOptions {
  readonly chainId: Uint8Array;
  /** The rules of the network that the proof of work depends on; those of the ledger contain them. */
  readonly parameters: { readonly network: Network; readonly interval: number };
  /** Other sizes than the network's, for tests. */
  readonly sizes?: PowSizes;
}

export class PowPeriods {
  readonly #chainId: Uint8Array;
  readonly #interval: bigint;
  readonly #sizes: PowSizes;

  constructor({ chainId, parameters, sizes }: PowPeriodsOptions) {
    this.#chainId = chainId;
    this.#interval = BigInt(parameters.interval);
    this.#sizes = sizes ?? POW_SIZES[parameters.network];
  }

  /** Cuts before the end of a period in which the next one's dataset is made. */
  get aheadCuts(): number {
    return Number(this.#interval);
  }

  ofHeight(height: number): number {
    return Number(powPeriod(BigInt(height), this.#interval));
  }

  /** The period of the anchor that a header names. */
  ofHeader(header: Uint8Array): number {
    const { buffer, byteOffset } = expectBytes(header, 'header', BLOCK_HEADER_BYTES);
    const height = new DataView(buffer, byteOffset).getBigUint64(ANCHOR_HEIGHT_AT, true);
    return Number(powPeriod(height, this.#interval));
  }

  keyOf(period: number): PowKey {
    return { seed: powSeed(this.#chainId, BigInt(period)), ...this.#sizes };
  }
}

/** The target that a header names, big-endian. */
export function targetOf(header: Uint8Array): Uint8Array {
  return header.subarray(TARGET_AT, TARGET_AT + TARGET_BYTES);
}
