/*
 * The proof of work in C, the yardstick of the kernel: the same algorithm with the same interleaving,
 * the mixes held in registers. It obeys one command a line on standard input and answers each with
 * one line: nanoseconds and a checksum.
 *
 *   cache <items>              makes the cache from a seed of 32 zero bytes
 *   move <items>               moves the cache to other memory
 *   fill <pages>               makes a dataset of that many pages of pseudo-random words
 *   items <lanes> <from> <n>   makes n items, 1, 2 or 4 at a time
 *   light <pages> <from> <n>   n light hashes of consecutive counters
 *   full <lanes> <from> <n>    n full hashes, 1 or 4 at a time
 *
 * The dataset asks for huge pages, as the miner's does.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

typedef uint32_t v4 __attribute__((vector_size(16)));
#define PRIME 0x01000193u
#define HUGE_PAGE_BYTES (2u << 20)
#define ALWAYS static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 32")

static const uint64_t round_constants[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008};
static const int rotations[25] = {0,  1,  62, 28, 27, 36, 44, 6,  55, 20, 3,  10, 43,
                                  25, 39, 41, 45, 15, 21, 8,  18, 2,  61, 56, 14};

ALWAYS uint64_t rotate(uint64_t word, int by) { return by == 0 ? word : word << by | word >> (64 - by); }

static void keccak_f(uint64_t *state) {
  uint64_t a[25], b[25], c[5], d[5];
  memcpy(a, state, sizeof a);
  for (int round = 0; round < 24; round++) {
    UNROLL for (int x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    UNROLL for (int x = 0; x < 5; x++) d[x] = c[(x + 4) % 5] ^ rotate(c[(x + 1) % 5], 1);
    UNROLL for (int i = 0; i < 25; i++)
        b[i / 5 + 5 * ((2 * (i % 5) + 3 * (i / 5)) % 5)] = rotate(a[i] ^ d[i % 5], rotations[i]);
    UNROLL for (int i = 0; i < 25; i++)
        a[i] = b[i] ^ (~b[i / 5 * 5 + (i + 1) % 5] & b[i / 5 * 5 + (i + 2) % 5]);
    a[0] ^= round_constants[round];
  }
  memcpy(state, a, sizeof a);
}

static void keccak512_in_place(uint64_t *state) {
  state[8] = 0x8000000000000001;
  memset(state + 9, 0, 128);
  keccak_f(state);
}

static uint8_t *cache, *dataset;
static uint32_t cache_items, dataset_pages;

ALWAYS uint32_t fnv(uint32_t a, uint32_t b) { return (a * PRIME) ^ b; }

static void make_cache(uint32_t items) {
  uint64_t state[25] = {0};
  free(cache);
  cache_items = items;
  cache = aligned_alloc(64, (size_t)items * 64);
  state[4] = 1;
  state[8] = 0x8000000000000000;
  keccak_f(state);
  memcpy(cache, state, 64);
  for (uint32_t i = 1; i < items; i++) {
    keccak512_in_place(state);
    memcpy(cache + (size_t)i * 64, state, 64);
  }
  for (int round = 0; round < 3; round++) {
    for (uint32_t i = 0; i < items; i++) {
      uint64_t *item = (uint64_t *)(cache + (size_t)i * 64);
      const uint64_t *before = (uint64_t *)(cache + (size_t)((i + items - 1) % items) * 64);
      const uint64_t *other = (uint64_t *)(cache + (size_t)(*(uint32_t *)item % items) * 64);
      for (int at = 0; at < 8; at++) state[at] = before[at] ^ other[at];
      keccak512_in_place(state);
      memcpy(item, state, 64);
    }
  }
}

static void move_cache(void) {
  uint8_t *moved = aligned_alloc(64, (size_t)cache_items * 64);
  memcpy(moved, cache, (size_t)cache_items * 64);
  free(cache);
  cache = moved;
}

ALWAYS void make_items(int lanes, uint32_t index, uint8_t *out) {
  _Alignas(16) uint64_t state[4][26];
  v4 mix[4][4];
  const uint8_t *line[4];
  const uint32_t items = cache_items;
  UNROLL for (int k = 0; k < lanes; k++) {
    memcpy(state[k], cache + (size_t)((index + k) % items) * 64, 64);
    *(uint32_t *)state[k] ^= index + k;
    keccak512_in_place(state[k]);
    memcpy(mix[k], state[k], 64);
  }
  for (uint32_t parent = 0; parent < 256; parent += 16) {
    UNROLL for (uint32_t at = 0; at < 16; at++) {
      UNROLL for (int k = 0; k < lanes; k++) {
        const uint32_t word = mix[k][at >> 2][at & 3];
        line[k] = cache + (size_t)(fnv((index + k) ^ (parent + at), word) % items) * 64;
      }
      UNROLL for (int k = 0; k < lanes; k++)
        UNROLL for (int v = 0; v < 4; v++) mix[k][v] = mix[k][v] * PRIME ^ ((const v4 *)line[k])[v];
    }
  }
  UNROLL for (int k = 0; k < lanes; k++) {
    memcpy(state[k], mix[k], 64);
    keccak512_in_place(state[k]);
    memcpy(out + 64 * k, state[k], 64);
  }
}

static void items1(uint32_t index, uint8_t *out) { make_items(1, index, out); }
static void items2(uint32_t index, uint8_t *out) { make_items(2, index, out); }
static void items4(uint32_t index, uint8_t *out) { make_items(4, index, out); }

/* The input is 32 zero bytes and a little-endian counter, as Ethash has it. */
static void begin_hash(uint64_t *state, uint64_t counter) {
  memset(state, 0, 200);
  state[4] = counter;
  state[5] = 1;
  state[8] = 0x8000000000000000;
  keccak_f(state);
}

ALWAYS void end_hash(uint64_t *state, const v4 *mix) {
  UNROLL for (int at = 0; at < 8; at++)
    ((uint32_t *)state)[16 + at] = fnv(fnv(fnv(mix[at][0], mix[at][1]), mix[at][2]), mix[at][3]);
  memset(state + 12, 0, 104);
  state[12] = 1;
  state[16] = 0x8000000000000000;
  keccak_f(state);
}

ALWAYS void hash(int lanes, int light, uint32_t pages, uint64_t counter, uint64_t (*state)[26]) {
  _Alignas(16) uint8_t made[128];
  v4 mix[4][8];
  const uint8_t *page[4];
  uint32_t first[4];
  UNROLL for (int k = 0; k < lanes; k++) {
    begin_hash(state[k], counter + k);
    memcpy(mix[k], state[k], 64);
    memcpy(mix[k] + 4, state[k], 64);
    first[k] = (uint32_t)state[k][0];
  }
  for (uint32_t access = 0; access < 64; access += 32) {
    UNROLL for (uint32_t at = 0; at < 32; at++) {
      UNROLL for (int k = 0; k < lanes; k++) {
        const uint32_t chosen = fnv((access + at) ^ first[k], mix[k][at >> 2][at & 3]) % pages;
        if (light) items2(chosen * 2, made);
        page[k] = light ? made : dataset + (size_t)chosen * 128;
      }
      UNROLL for (int k = 0; k < lanes; k++)
        UNROLL for (int v = 0; v < 8; v++) mix[k][v] = mix[k][v] * PRIME ^ ((const v4 *)page[k])[v];
    }
  }
  UNROLL for (int k = 0; k < lanes; k++) end_hash(state[k], mix[k]);
}

static void light1(uint32_t pages, uint64_t counter, uint64_t (*state)[26]) { hash(1, 1, pages, counter, state); }
static void full1(uint64_t counter, uint64_t (*state)[26]) { hash(1, 0, dataset_pages, counter, state); }
static void full4(uint64_t counter, uint64_t (*state)[26]) { hash(4, 0, dataset_pages, counter, state); }

static void new_dataset(uint32_t pages) {
  free(dataset);
  dataset_pages = pages;
  dataset = aligned_alloc(HUGE_PAGE_BYTES, (size_t)pages * 128);
  madvise(dataset, (size_t)pages * 128, MADV_HUGEPAGE);
}

static void fill(uint32_t pages) {
  uint32_t word = 1;
  new_dataset(pages);
  for (size_t i = 0; i < (size_t)pages * 32; i++) {
    word ^= word << 13;
    word ^= word >> 17;
    word ^= word << 5;
    ((uint32_t *)dataset)[i] = word;
  }
}

static uint64_t run(const char *name, uint64_t a, uint64_t b, uint64_t n) {
  _Alignas(16) uint64_t state[4][26];
  _Alignas(16) uint8_t out[256] = {0};
  uint64_t sum = 0;
  if (strcmp(name, "cache") == 0) make_cache(a);
  if (strcmp(name, "move") == 0) move_cache();
  if (strcmp(name, "fill") == 0) fill(a);
  if (strcmp(name, "items") == 0) {
    for (uint64_t i = 0; i < n; i += a) {
      if (a == 1) items1(b + i, out);
      if (a == 2) items2(b + i, out);
      if (a == 4) items4(b + i, out);
      for (uint64_t k = 0; k < a; k++) sum ^= ((uint64_t *)out)[8 * k];
    }
  }
  if (strcmp(name, "light") == 0) {
    for (uint64_t i = 0; i < n; i++) {
      light1(a, b + i, state);
      sum ^= state[0][0];
    }
  }
  if (strcmp(name, "full") == 0) {
    for (uint64_t i = 0; i < n; i += a) {
      if (a == 1) full1(b + i, state);
      if (a == 4) full4(b + i, state);
      for (uint64_t k = 0; k < a; k++) sum ^= state[k][0];
    }
  }
  return sum;
}

int main(void) {
  char line[128], name[16];
  while (fgets(line, sizeof line, stdin) != NULL) {
    uint64_t a = 0, b = 0, n = 0;
    struct timespec from, to;
    if (sscanf(line, "%15s %" SCNu64 " %" SCNu64 " %" SCNu64, name, &a, &b, &n) < 2) return 1;
    clock_gettime(CLOCK_MONOTONIC, &from);
    const uint64_t sum = run(name, a, b, n);
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("%" PRIu64 " %016" PRIx64 "\n",
           (uint64_t)(to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec, sum);
    fflush(stdout);
  }
  return 0;
}
