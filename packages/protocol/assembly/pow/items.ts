/**
 * Dataset items, one, two or four at a time. Each step of an item waits for one random cache line,
 * so items are interleaved to keep several lines on the way.
 *
 * The word that chooses the next line is mixed first and on its own: its load brings the line in,
 * and the choice need not wait until the vectors are stored.
 */
import { mixItemsFour } from '../generated/pow-four';
import { cacheBase, cacheItems, itemSponge } from './area';
import { fnv, mixLine, mixWord } from './fnv';
import { copy64, keccak512InPlace, keccak512InPlaceFour } from './sponge';

/** Cache items that are mixed into one dataset item. */
const PARENTS: u32 = 256;
const ITEM_BYTES: usize = 64;
const TWO_ITEMS_BYTES: usize = 128;
const FOUR_ITEMS_BYTES: usize = 256;

/** What the first mix of an item is the hash of. */
@inline
function choose(state: usize, index: u32): void {
  copy64(state, cacheBase + (<usize>(index % cacheItems) << 6));
  store<u32>(state, load<u32>(state) ^ index);
}

@inline
function begin(state: usize, index: u32): void {
  choose(state, index);
  keccak512InPlace(state);
}

@inline
function end(state: usize, out: usize): void {
  keccak512InPlace(state);
  copy64(out, state);
}

/** The cache item that a word of the mix chooses. */
@inline
function lineAt(base: usize, items: u32, choice: u32, word: u32): usize {
  return base + (<usize>(fnv(choice, word) % items) << 6);
}

/** Makes one item at `out`. */
export function powItem(index: u32, out: usize): void {
  const items = cacheItems;
  const base = cacheBase;
  const mix = itemSponge(0);
  begin(mix, index);
  let word = load<u32>(mix);
  for (let parent: u32 = 0; parent < PARENTS; parent++) {
    const next = <usize>((parent + 1) & 15) << 2;
    const line = lineAt(base, items, index ^ parent, word);
    word = mixWord(mix, line, next);
    mixLine(mix, line);
  }
  end(mix, out);
}

export function makeItems2(index: u32, out: usize): void {
  const items = cacheItems;
  const base = cacheBase;
  const mix0 = itemSponge(0);
  const mix1 = itemSponge(1);
  begin(mix0, index);
  begin(mix1, index + 1);
  let word0 = load<u32>(mix0);
  let word1 = load<u32>(mix1);
  for (let parent: u32 = 0; parent < PARENTS; parent++) {
    const next = <usize>((parent + 1) & 15) << 2;
    const line0 = lineAt(base, items, index ^ parent, word0);
    const line1 = lineAt(base, items, (index + 1) ^ parent, word1);
    word0 = mixWord(mix0, line0, next);
    word1 = mixWord(mix1, line1, next);
    mixLine(mix0, line0);
    mixLine(mix1, line1);
  }
  end(mix0, out);
  end(mix1, out + ITEM_BYTES);
}

export function makeItems4(index: u32, out: usize): void {
  if (!ASC_FEATURE_SIMD) {
    makeItems2(index, out);
    makeItems2(index + 2, out + TWO_ITEMS_BYTES);
    return;
  }
  const sponges = itemSponge(0);
  for (let lane: u32 = 0; lane < 4; lane++) choose(itemSponge(lane), index + lane);
  keccak512InPlaceFour(sponges);
  mixItemsFour(sponges, index, index + 1, index + 2, index + 3, cacheBase, cacheItems);
  keccak512InPlaceFour(sponges);
  for (let lane: u32 = 0; lane < 4; lane++) copy64(out + (lane << 6), itemSponge(lane));
}

/** Makes items `from` to `to - 1` at `out`. */
export function powItems(from: u32, to: u32, out: usize): void {
  let index = from;
  for (; index + 4 <= to; index += 4) {
    makeItems4(index, out);
    out += FOUR_ITEMS_BYTES;
  }
  for (; index < to; index++) {
    powItem(index, out);
    out += ITEM_BYTES;
  }
}
