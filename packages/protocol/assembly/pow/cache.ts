/**
 * The cache: a chain of hashes from the seed, then three rounds of RandMemoHash over it.
 */
import { cacheBase, cacheItems, itemSponge, powInput } from './area';
import { copy64, keccak512, keccak512InPlace } from './sponge';

const ROUNDS: i32 = 3;

/** Fills the cache from the 32-byte seed at `powInput()`. */
export function powMakeCache(): void {
  const items = cacheItems;
  const base = cacheBase;
  const state = itemSponge(0);
  keccak512(state, powInput(), 32);
  copy64(base, state);
  for (let index: u32 = 1; index < items; index++) {
    keccak512InPlace(state);
    copy64(base + (<usize>index << 6), state);
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (let index: u32 = 0; index < items; index++) mixItem(state, base, index, items);
  }
}

@inline
function mixItem(state: usize, base: usize, index: u32, items: u32): void {
  const item = base + (<usize>index << 6);
  const before = base + (<usize>((index + items - 1) % items) << 6);
  const other = base + (<usize>(load<u32>(item) % items) << 6);
  for (let at: usize = 0; at < 64; at += 8) {
    store<u64>(state + at, load<u64>(before + at) ^ load<u64>(other + at));
  }
  keccak512InPlace(state);
  copy64(item, state);
}
