/**
 * Looks for nonces: a counter over the first bytes of the nonce, the rest as the header has it.
 * The server's prefix sits in the last bytes of the nonce, so it is never touched.
 */
import { compareBytes, expectBytes } from '../base/bytes.ts';
import { expectInteger } from '../base/integer.ts';
import { SvcError } from '../base/svc-error.ts';
import { expectDatasetBytes } from './pow-layout.ts';
import { expectWork, type PowHash, type PowMemory } from './pow-memory.ts';
import {
  POW_HEADER_BYTES,
  POW_LABEL,
  POW_NONCE_BYTES,
  POW_PAGE_BYTES,
  POW_SEARCH_COUNT_MAX,
  POW_TARGET_BYTES,
} from './pow-parameters.ts';

const COUNTER_BYTES_MAX = 8;
const NONCE_AT = POW_HEADER_BYTES - POW_NONCE_BYTES;
const LABEL = new TextEncoder().encode(POW_LABEL);

export interface PowSearch {
  /** Leading bytes of the nonce that may change; the counter takes at most eight of them. */
  readonly freeBytes: number;
  /** First value of the counter. */
  readonly start: bigint;
  /** Nonces to try at most. */
  readonly count: number;
  readonly shareTarget: Uint8Array;
  readonly blockTarget: Uint8Array;
  /** Needed with a cache alone; a dataset knows its size. */
  readonly datasetBytes?: number;
}

export interface PowHit extends PowHash {
  readonly nonce: Uint8Array;
  /** At or below the share target. */
  readonly share: boolean;
  /** At or below the block target. */
  readonly block: boolean;
}

export interface PowSearchResult {
  /** Nonces tried, with the one that hit; the next search starts this much further. */
  readonly done: number;
  readonly hit: PowHit | undefined;
}

/** Label and header as hashed; `SVC_POW_V1` has no other input. */
export function powInput(header: Uint8Array): Uint8Array {
  const bytes = expectBytes(header, 'header', POW_HEADER_BYTES);
  const input = new Uint8Array(LABEL.length + POW_HEADER_BYTES);
  input.set(LABEL);
  input.set(bytes, LABEL.length);
  return input;
}

/** Whether a result, read as a 256-bit big-endian number, is at or below the target. */
export function meetsTarget(result: Uint8Array, target: Uint8Array): boolean {
  const number = expectBytes(result, 'result', POW_TARGET_BYTES);
  return compareBytes(number, expectBytes(target, 'target', POW_TARGET_BYTES)) <= 0;
}

function expectStart(options: PowSearch, counterBytes: number): void {
  const { start, count } = options;
  if (typeof start !== 'bigint') {
    throw new SvcError('bad_type', `expected a bigint, found a ${typeof start}`, { path: 'start' });
  }
  const values = 1n << BigInt(8 * counterBytes);
  if (start >= 0n && start + BigInt(count) <= values) return;
  throw new SvcError(
    'out_of_range',
    `${count} nonces from ${start} on leave the ${values} there are`,
    {
      path: 'start',
    },
  );
}

function writeCounter(nonce: Uint8Array, counterBytes: number, counter: bigint): void {
  for (let at = 0; at < counterBytes; at++) {
    nonce[at] = Number((counter >> BigInt(8 * at)) & 0xffn);
  }
}

/** Tries nonces until one is at or below either target, or `count` are done. */
export function search(work: PowMemory, header: Uint8Array, options: PowSearch): PowSearchResult {
  const isFull = expectWork(work, 'work').layout.datasetBytes > 0;
  const datasetBytes = isFull ? work.layout.datasetBytes : expectDatasetBytes(options.datasetBytes);
  const count = expectInteger(options.count, 'count', 1, POW_SEARCH_COUNT_MAX);
  const freeBytes = expectInteger(options.freeBytes, 'freeBytes', 1, POW_NONCE_BYTES);
  const counterBytes = Math.min(freeBytes, COUNTER_BYTES_MAX);
  expectStart(options, counterBytes);
  const shareTarget = expectBytes(options.shareTarget, 'shareTarget', POW_TARGET_BYTES);
  const blockTarget = expectBytes(options.blockTarget, 'blockTarget', POW_TARGET_BYTES);

  const input = powInput(header);
  const nonce = input.subarray(LABEL.length + NONCE_AT);
  nonce.fill(0, 0, counterBytes);
  work.writeInput(input);
  work.writeTargets(shareTarget, blockTarget);
  const before = work.invoke((exports) => {
    exports.powPages(datasetBytes / POW_PAGE_BYTES);
    if (isFull) return exports.powSearch(options.start, count);
    return exports.powSearchLight(options.start, count);
  });
  if (before === count) return { done: count, hit: undefined };

  writeCounter(nonce, counterBytes, options.start + BigInt(before));
  const hash = work.readHash();
  const share = meetsTarget(hash.result, shareTarget);
  const block = meetsTarget(hash.result, blockTarget);
  return { done: before + 1, hit: { ...hash, nonce: nonce.slice(), share, block } };
}
