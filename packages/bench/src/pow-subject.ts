/**
 * The kernel's side of the proof-of-work bench: each method does `count` operations on fresh
 * indices or counters and gives nanoseconds and the same checksum as the C program.
 */
import { askForDatasetPages } from 'svc-mining/pow';
import { pow } from 'svc-wasm/kernel';

export interface Sample {
  readonly nanoseconds: number;
  readonly checksum: string;
}

const SEED = new Uint8Array(32);
const ITEM_BYTES = 64;
const IMPOSSIBLE = new Uint8Array(32);

function firstWord(bytes: Uint8Array, at = 0): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(at, true);
}

function timed(work: () => bigint): Sample {
  const started = process.hrtime.bigint();
  const sum = work();
  const nanoseconds = Number(process.hrtime.bigint() - started);
  return { nanoseconds, checksum: sum.toString(16).padStart(16, '0') };
}

/** Pseudo-random words stand in for a dataset that takes minutes to make: the reads are as random. */
export function fillWithWords(bytes: Uint8Array): void {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  let word = 1;
  for (let i = 0; i < words.length; i++) {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    words[i] = word;
  }
}

export class PowSubject {
  /** The cache, with a dataset that only `items` writes to. */
  #items: pow.PowDataset;
  readonly #dataset: pow.PowDataset;
  readonly #datasetBytes: number;

  /** `itemsMax` bounds the indices of `items`. */
  constructor(cacheBytes: number, datasetBytes: number, itemsMax: number) {
    this.#items = pow.allocateDataset(pow.makeCache(SEED, cacheBytes), itemsMax * ITEM_BYTES);
    this.#dataset = pow.allocateDataset(this.#items, datasetBytes);
    this.#datasetBytes = datasetBytes;
    askForDatasetPages(this.#dataset.dataset.buffer);
    fillWithWords(this.#dataset.dataset);
  }

  /** Moves the cache to other memory. */
  move(): void {
    this.#items = pow.allocateDataset(this.#items, this.#items.dataset.length);
  }

  /** Makes the cache again; it is no other than before. */
  cache(): Sample {
    return timed(() => {
      pow.fillCache(this.#items, SEED);
      return 0n;
    });
  }

  items(from: number, count: number): Sample {
    const sample = timed(() => {
      pow.fillDataset(this.#items, from, from + count);
      return 0n;
    });
    let sum = 0n;
    for (let index = from; index < from + count; index++) {
      sum ^= firstWord(this.#items.dataset, index * ITEM_BYTES);
    }
    return { ...sample, checksum: sum.toString(16).padStart(16, '0') };
  }

  light(from: number, count: number): Sample {
    return this.#hashes(from, count, (input) => pow.light(this.#items, this.#datasetBytes, input));
  }

  full(from: number, count: number): Sample {
    return this.#hashes(from, count, (input) => pow.full(this.#dataset, input));
  }

  /** Four interleaved; the search returns no results, so there is no checksum. */
  search(from: number, count: number): Sample {
    const options = { freeBytes: 8, shareTarget: IMPOSSIBLE, blockTarget: IMPOSSIBLE };
    return timed(() => {
      pow.search(this.#dataset, new Uint8Array(312), { ...options, start: BigInt(from), count });
      return 0n;
    });
  }

  #hashes(from: number, count: number, hash: (input: Uint8Array) => pow.PowHash): Sample {
    const input = new Uint8Array(40);
    const view = new DataView(input.buffer);
    return timed(() => {
      let sum = 0n;
      for (let counter = from; counter < from + count; counter++) {
        view.setBigUint64(32, BigInt(counter), true);
        sum ^= firstWord(hash(input).result);
      }
      return sum;
    });
  }
}
