/*
 * SVC_POW_V1 for OpenCL cards: makes the dataset of a period and searches nonces with it. The host gives the
 * midstate of a job (midstate.ts); the counter of a work item is word 2 of the last Keccak block.
 *
 * Eight work items work on one hash together, each on 16 of the 128 bytes of a page, so that a page is read in one
 * go; HASHES_AT_ONCE hashes are interleaved to hide the time that a read takes. The item that owns the word which
 * chooses the next page tells the others: by a shuffle on NVIDIA (USE_PTX), elsewhere through local memory.
 *
 * Build options: GROUP_ITEMS, HASHES_AT_ONCE, USE_PTX.
 */
#define FNV_PRIME 0x01000193u
#define LANES 8u
#define PAGE_READS 64u
#define PARENTS 256u
#define FOUND_MAX 255u

__constant ulong ROUND[24] = {
  0x0000000000000001UL, 0x0000000000008082UL, 0x800000000000808aUL, 0x8000000080008000UL,
  0x000000000000808bUL, 0x0000000080000001UL, 0x8000000080008081UL, 0x8000000000008009UL,
  0x000000000000008aUL, 0x0000000000000088UL, 0x0000000080008009UL, 0x000000008000000aUL,
  0x000000008000808bUL, 0x800000000000008bUL, 0x8000000000008089UL, 0x8000000000008003UL,
  0x8000000000008002UL, 0x8000000000000080UL, 0x000000000000800aUL, 0x800000008000000aUL,
  0x8000000080008081UL, 0x8000000000008080UL, 0x0000000080000001UL, 0x8000000080008008UL};

#define TURN(word, bits) rotate((ulong)(word), (ulong)(bits))
/* rho and pi of one word: the word of `place` goes on, what was carried takes its place. */
#define MOVE(place, bits) { ulong kept = s[place]; s[place] = TURN(carried, bits); carried = kept; }
#define CHI_ROW(at) { \
  ulong v0 = s[at], v1 = s[at + 1], v2 = s[at + 2], v3 = s[at + 3], v4 = s[at + 4]; \
  s[at] = v0 ^ (~v1 & v2); s[at + 1] = v1 ^ (~v2 & v3); s[at + 2] = v2 ^ (~v3 & v4); \
  s[at + 3] = v3 ^ (~v4 & v0); s[at + 4] = v4 ^ (~v0 & v1); }

static inline void keccak_f(ulong *s) {
  for (uint round = 0; round < 24; round++) {
    /* theta */
    ulong c0 = s[0] ^ s[5] ^ s[10] ^ s[15] ^ s[20];
    ulong c1 = s[1] ^ s[6] ^ s[11] ^ s[16] ^ s[21];
    ulong c2 = s[2] ^ s[7] ^ s[12] ^ s[17] ^ s[22];
    ulong c3 = s[3] ^ s[8] ^ s[13] ^ s[18] ^ s[23];
    ulong c4 = s[4] ^ s[9] ^ s[14] ^ s[19] ^ s[24];
    ulong d0 = c4 ^ TURN(c1, 1), d1 = c0 ^ TURN(c2, 1), d2 = c1 ^ TURN(c3, 1);
    ulong d3 = c2 ^ TURN(c4, 1), d4 = c3 ^ TURN(c0, 1);
#pragma unroll
    for (uint y = 0; y < 25; y += 5) {
      s[y] ^= d0; s[y + 1] ^= d1; s[y + 2] ^= d2; s[y + 3] ^= d3; s[y + 4] ^= d4;
    }
    /* rho, pi */
    ulong carried = s[1];
    MOVE(10, 1) MOVE(7, 3) MOVE(11, 6) MOVE(17, 10) MOVE(18, 15) MOVE(3, 21)
    MOVE(5, 28) MOVE(16, 36) MOVE(8, 45) MOVE(21, 55) MOVE(24, 2) MOVE(4, 14)
    MOVE(15, 27) MOVE(23, 41) MOVE(19, 56) MOVE(13, 8) MOVE(12, 25) MOVE(2, 43)
    MOVE(20, 62) MOVE(14, 18) MOVE(22, 39) MOVE(9, 61) MOVE(6, 20) s[1] = TURN(carried, 44);
    /* chi, iota */
    CHI_ROW(0) CHI_ROW(5) CHI_ROW(10) CHI_ROW(15) CHI_ROW(20)
    s[0] ^= ROUND[round];
  }
}

/* Keccak-512 of the 64 bytes in words 0 to 7, in place. */
static inline void keccak_512_of_64(ulong *s) {
  s[8] = 0x8000000000000001UL;
#pragma unroll
  for (uint at = 9; at < 25; at++) s[at] = 0;
  keccak_f(s);
}

static inline uint fnv(uint a, uint b) { return (a * FNV_PRIME) ^ b; }
static inline uint4 fnv4(uint4 a, uint4 b) { return (a * FNV_PRIME) ^ b; }

/* x mod m, with reciprocal = floor(2^32 / m): the quotient is at most one too small while m < 2^31. */
static inline uint remainder_of(uint x, uint m, uint reciprocal) {
  uint rest = x - mul_hi(x, reciprocal) * m;
  return rest >= m ? rest - m : rest;
}

/* Items first to first + count - 1 of the dataset, one for each work item. */
__kernel void make_items(__global uint4 *dataset, __global const uint4 *cache, uint cache_items,
                         uint cache_reciprocal, uint first, uint count) {
  uint item = (uint)get_global_id(0);
  if (item >= count) return;
  item += first;
  ulong s[25];
  __global const ulong *parent =
      (__global const ulong *)(cache + (ulong)remainder_of(item, cache_items, cache_reciprocal) * 4);
#pragma unroll
  for (uint at = 0; at < 8; at++) s[at] = parent[at];
  s[0] ^= item;
  keccak_512_of_64(s);
  uint4 mix[4];
  uint *word = (uint *)mix;
#pragma unroll
  for (uint at = 0; at < 8; at++) { word[2 * at] = (uint)s[at]; word[2 * at + 1] = (uint)(s[at] >> 32); }
  for (uint step = 0; step < PARENTS; step += 16) {
#pragma unroll
    for (uint at = 0; at < 16; at++) {
      uint chosen = remainder_of(fnv(item ^ (step + at), word[at]), cache_items, cache_reciprocal);
      __global const uint4 *from = cache + (ulong)chosen * 4;
#pragma unroll
      for (uint part = 0; part < 4; part++) mix[part] = fnv4(mix[part], from[part]);
    }
  }
#pragma unroll
  for (uint at = 0; at < 8; at++) s[at] = (ulong)word[2 * at] | ((ulong)word[2 * at + 1] << 32);
  keccak_512_of_64(s);
  __global ulong *out = (__global ulong *)(dataset + (ulong)item * 4);
#pragma unroll
  for (uint at = 0; at < 8; at++) out[at] = s[at];
}

static inline ulong big_endian(ulong v) {
  v = ((v & 0x00ff00ff00ff00ffUL) << 8) | ((v >> 8) & 0x00ff00ff00ff00ffUL);
  v = ((v & 0x0000ffff0000ffffUL) << 16) | ((v >> 16) & 0x0000ffff0000ffffUL);
  return (v << 32) | (v >> 32);
}

#ifdef USE_PTX
#define TELL(into, value) { uint told; uint from = ((uint)get_local_id(0) & 24u) | owner; \
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(told) : "r"(value), "r"(from)); into = told; }
#else
#define TELL(into, value) { if (lane == owner) told[group][at_once] = value; barrier(CLK_LOCAL_MEM_FENCE); \
  into = told[group][at_once]; barrier(CLK_LOCAL_MEM_FENCE); }
#endif

/*
 * Hashes the counters start + global id; those whose first eight bytes are at or below target_top are written to
 * found: their count in word 0, then (counter, first bytes of the result) from word 4 on, FOUND_MAX at most.
 */
__kernel void search(__global const uint4 *dataset, __global const ulong *midstate, uint pages,
                     uint page_reciprocal, ulong start, ulong target_top, __global uint *found) {
  ulong s[25];
  /* Seed hashes, later compressed mixes; one word of padding keeps banks apart. */
  __local ulong shared_hash[GROUP_ITEMS][9];
  uint local_id = (uint)get_local_id(0);
  uint lane = local_id & (LANES - 1), first_lane = local_id & ~(LANES - 1);
#ifndef USE_PTX
  __local uint told[GROUP_ITEMS / 8][HASHES_AT_ONCE];
  uint group = local_id / LANES;
#endif
#pragma unroll
  for (uint at = 0; at < 25; at++) s[at] = midstate[at];
  ulong counter = start + (ulong)get_global_id(0);
  s[2] ^= counter;
  keccak_f(s);
#pragma unroll
  for (uint at = 0; at < 8; at++) shared_hash[local_id][at] = s[at];
  barrier(CLK_LOCAL_MEM_FENCE);

  for (uint turn = 0; turn < LANES; turn += HASHES_AT_ONCE) {
    uint4 mix[HASHES_AT_ONCE];
    uint seed_word[HASHES_AT_ONCE];
#pragma unroll
    for (uint at_once = 0; at_once < HASHES_AT_ONCE; at_once++) {
      __local ulong *seed = shared_hash[first_lane + turn + at_once];
      ulong low = seed[(lane & 3) * 2], high = seed[(lane & 3) * 2 + 1];
      mix[at_once] = (uint4)((uint)low, (uint)(low >> 32), (uint)high, (uint)(high >> 32));
      seed_word[at_once] = (uint)seed[0];
    }
    for (uint read = 0; read < PAGE_READS; read += 4) {
      uint owner = (read >> 2) & (LANES - 1);
#pragma unroll
      for (uint part = 0; part < 4; part++) {
        uint page[HASHES_AT_ONCE];
#pragma unroll
        for (uint at_once = 0; at_once < HASHES_AT_ONCE; at_once++) {
          uint4 m = mix[at_once];
          uint word = part == 0 ? m.x : part == 1 ? m.y : part == 2 ? m.z : m.w;
          uint chosen = remainder_of(fnv(seed_word[at_once] ^ (read + part), word), pages, page_reciprocal);
          TELL(page[at_once], chosen)
        }
#pragma unroll
        for (uint at_once = 0; at_once < HASHES_AT_ONCE; at_once++)
          mix[at_once] = fnv4(mix[at_once], dataset[(ulong)page[at_once] * LANES + lane]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint at_once = 0; at_once < HASHES_AT_ONCE; at_once++) {
      uint4 m = mix[at_once];
      ((__local uint *)shared_hash[first_lane + turn + at_once])[lane] = fnv(fnv(fnv(m.x, m.y), m.z), m.w);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  /* Keccak-256 of seed hash and compressed mix: 96 bytes, rate 136. */
#pragma unroll
  for (uint at = 0; at < 4; at++) s[8 + at] = shared_hash[local_id][at];
  s[12] = 1;
#pragma unroll
  for (uint at = 13; at < 25; at++) s[at] = 0;
  s[16] = 0x8000000000000000UL;
  keccak_f(s);
  ulong top = big_endian(s[0]);
  if (top <= target_top) {
    uint place = atomic_inc(found);
    if (place < FOUND_MAX) {
      found[4 + place * 4] = (uint)counter;
      found[5 + place * 4] = (uint)(counter >> 32);
      found[6 + place * 4] = (uint)top;
      found[7 + place * 4] = (uint)(top >> 32);
    }
  }
}
