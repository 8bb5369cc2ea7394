/**
 * One hash: the seed of the input, 64 pages of the dataset mixed into 128 bytes, the mix compressed
 * to 32 bytes, and the hash of seed and mix. Full mode reads pages, light mode makes them.
 */
import { mixPagesFour } from '../generated/pow-four';
import {
  datasetBase,
  datasetPages,
  hashSponge,
  madePage,
  pageMix,
  powInput,
  powResult,
} from './area';
import { fnv, mixLine, mixWord } from './fnv';
import { makeItems2 } from './items';
import { copy64, keccak256InPlace, keccak256InPlaceFour, keccak512, RESULT_512 } from './sponge';

/** Pages that one hash reads. */
const ACCESSES: u32 = 64;
/** Half of the mix and of a page, which is one dataset item. */
const HALF: usize = 64;
/** The compressed mix, and the result of a hash. */
const DIGEST_BYTES: usize = 32;

/** Doubles the seed into the mix. */
@inline
export function beginMix(mix: usize, seed: usize): void {
  copy64(mix, seed);
  copy64(mix + HALF, seed);
}

/** Compresses the mix to its first 32 bytes and puts them after the seed. */
@inline
function compress(mix: usize, seed: usize): void {
  for (let at: usize = 0; at < 8; at++) {
    const words = mix + (at << 4);
    const first = fnv(load<u32>(words), load<u32>(words, 4));
    const word = fnv(fnv(first, load<u32>(words, 8)), load<u32>(words, 12));
    store<u32>(mix + (at << 2), word);
    store<u32>(seed + (at << 2), word, RESULT_512);
  }
}

/** Compresses the mix and turns seed and mix into the result in `seed`. */
export function endMix(mix: usize, seed: usize): void {
  compress(mix, seed);
  keccak256InPlace(seed);
}

@inline
function mixPage(mix: usize, page: usize): void {
  mixLine(mix, page);
  mixLine(mix + HALF, page + HALF);
}

/** The page that a word of the mix chooses. */
@inline
function pageAt(base: usize, pages: u32, choice: u32, word: u32): usize {
  return base + (<usize>(fnv(choice, word) % pages) << 7);
}

/** Turns the seed in sponge `lane` into the result, with pages made from the cache. */
export function hashLight(lane: usize): void {
  const pages = datasetPages;
  const seed = hashSponge(lane);
  const mix = pageMix(lane);
  const page = madePage();
  const first = load<u32>(seed);
  beginMix(mix, seed);
  for (let access: u32 = 0; access < ACCESSES; access++) {
    const word = load<u32>(mix + (<usize>(access & 31) << 2));
    makeItems2((fnv(access ^ first, word) % pages) << 1, page);
    mixPage(mix, page);
  }
  endMix(mix, seed);
}

/** Turns the seed in sponge `lane` into the result, with pages of the dataset. */
export function hashFull(lane: usize): void {
  const pages = datasetPages;
  const base = datasetBase;
  const seed = hashSponge(lane);
  const mix = pageMix(lane);
  const first = load<u32>(seed);
  beginMix(mix, seed);
  let word = first;
  for (let access: u32 = 0; access < ACCESSES; access++) {
    const next = <usize>((access + 1) & 31) << 2;
    const page = pageAt(base, pages, access ^ first, word);
    word = mixWord(mix, page, next);
    mixPage(mix, page);
  }
  endMix(mix, seed);
}

/** Turns the seeds in sponges 0 to 3 into results, with pages of the dataset. */
export function hashFull4(): void {
  if (!ASC_FEATURE_SIMD) {
    for (let lane: usize = 0; lane < 4; lane++) hashFull(lane);
    return;
  }
  for (let lane: usize = 0; lane < 4; lane++) beginMix(pageMix(lane), hashSponge(lane));
  const first0 = load<u32>(hashSponge(0));
  const first1 = load<u32>(hashSponge(1));
  const first2 = load<u32>(hashSponge(2));
  const first3 = load<u32>(hashSponge(3));
  mixPagesFour(pageMix(0), first0, first1, first2, first3, datasetBase, datasetPages);
  for (let lane: usize = 0; lane < 4; lane++) compress(pageMix(lane), hashSponge(lane));
  keccak256InPlaceFour(hashSponge(0));
}

/** Copies mix and result of `lane` to where the host reads them. */
export function publish(lane: usize): void {
  memory.copy(powResult(), pageMix(lane), DIGEST_BYTES);
  memory.copy(powResult() + DIGEST_BYTES, hashSponge(lane), DIGEST_BYTES);
}

/** Hashes the first `length` bytes at `powInput()` with the cache alone. */
export function powLight(length: usize): void {
  keccak512(hashSponge(0), powInput(), length);
  hashLight(0);
  publish(0);
}

/** Hashes the first `length` bytes at `powInput()` with the dataset. */
export function powFull(length: usize): void {
  keccak512(hashSponge(0), powInput(), length);
  hashFull(0);
  publish(0);
}
