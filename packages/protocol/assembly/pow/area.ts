/**
 * Where the proof of work keeps its bytes. The host lays out cache, dataset and one small area for
 * each thread above `heapBase` and says where they are: static memory is the same for all threads
 * of a shared memory, so nothing here may live in it.
 */

/** A sponge state, up to the next multiple of 64. */
export const SPONGE_BYTES: usize = 256;
/**
 * Offsets in a thread's area: eight sponges at 0, four mixes, a page made in light mode, what the host
 * reads and writes, and memory in which four sponges are permuted.
 */
const MIXES: usize = 8 * SPONGE_BYTES;
const MADE_PAGE: usize = MIXES + 4 * 128;
const MIDSTATE: usize = MADE_PAGE + 128;
const RESULT: usize = MIDSTATE + 256;
const TARGETS: usize = RESULT + 64;
const FOUR_SPONGES: usize = TARGETS + 64;
const INPUT: usize = 4096;

let area: usize = 0;
export let cacheBase: usize = 0;
export let cacheItems: u32 = 0;
export let datasetBase: usize = 0;
export let datasetPages: u32 = 0;

/** Sets where the memory of this instance is; `dataset` is 0 when there is only a cache. */
export function powAttach(areaBase: usize, cache: usize, items: u32, dataset: usize): void {
  area = areaBase;
  cacheBase = cache;
  cacheItems = items;
  datasetBase = dataset;
}

/** Sets the number of 128-byte pages of the dataset, whether it is in memory or not. */
export function powPages(pages: u32): void {
  datasetPages = pages;
}

/** Where the host writes the seed or the input: what is left of the 8,192 bytes of the area. */
export function powInput(): usize {
  return area + INPUT;
}

/** Mix and result of the last hash, 32 bytes each. */
export function powResult(): usize {
  return area + RESULT;
}

/** Share target and block target, 32 bytes each, big-endian. */
export function powTargets(): usize {
  return area + TARGETS;
}

/** Sponge states 0 to 3 make dataset items. */
@inline
export function itemSponge(lane: usize): usize {
  return area + lane * SPONGE_BYTES;
}

/** Sponge states 4 to 7 hash inputs. */
@inline
export function hashSponge(lane: usize): usize {
  return area + (4 + lane) * SPONGE_BYTES;
}

/** 832 bytes for the permutation of four sponges at once. */
@inline
export function fourSponges(): usize {
  return area + FOUR_SPONGES;
}

/** The 128 bytes that a hash mixes pages into. */
@inline
export function pageMix(lane: usize): usize {
  return area + MIXES + lane * 128;
}

/** One dataset page made from the cache. */
@inline
export function madePage(): usize {
  return area + MADE_PAGE;
}

/** The sponge after the blocks of the input that a search never changes. */
@inline
export function midstate(): usize {
  return area + MIDSTATE;
}
