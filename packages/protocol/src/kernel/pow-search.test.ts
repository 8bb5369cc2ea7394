import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUILDS, SIMD } from '../../test/pow-modules.ts';
import { compareBytes, concatBytes, toHex } from '../base/bytes.ts';
import * as pow from './pow.ts';
import { POW_ITEM_BYTES, POW_PAGE_BYTES } from './pow-parameters.ts';
import { meetsTarget, type PowSearch, powInput } from './pow-search.ts';

const DATASET_BYTES = 89 * POW_PAGE_BYTES;
const NONE = new Uint8Array(32);
const ALL = new Uint8Array(32).fill(0xff);

function makeWork(module: WebAssembly.Module): { cache: pow.PowCache; dataset: pow.PowDataset } {
  const seed = new Uint8Array(32).fill(3);
  const cache = pow.makeCache(seed, 97 * POW_ITEM_BYTES, { module });
  return { cache, dataset: pow.makeDataset(cache, DATASET_BYTES, { module }) };
}

function makeHeader(): Uint8Array {
  return Uint8Array.from({ length: 312 }, (_, at) => (at * 89 + 11) & 0xff);
}

/** A target that one result in 256 / (first + 1) meets. */
function targetFrom(first: number): Uint8Array {
  return Uint8Array.from(ALL, (byte, at) => (at === 0 ? first : byte));
}

/** The 256-bit number `by` above `bytes`. */
function shifted(bytes: Uint8Array, by: bigint): Uint8Array {
  const text = (BigInt(`0x${toHex(bytes)}`) + by).toString(16).padStart(64, '0');
  return Uint8Array.from({ length: 32 }, (_, at) =>
    Number.parseInt(text.slice(2 * at, 2 * at + 2), 16),
  );
}

/** The nonces that a plain loop over whole headers finds, as hexadecimal. */
function naive(cache: pow.PowCache, header: Uint8Array, options: PowSearch): string[] {
  const bytes = Math.min(options.freeBytes, 8);
  const found: string[] = [];
  for (let i = 0; i < options.count; i++) {
    const tried = header.slice();
    let rest = options.start + BigInt(i);
    for (let at = 288; at < 288 + bytes; at++, rest >>= 8n) tried[at] = Number(rest & 0xffn);
    const label = new TextEncoder().encode('SVC_POW_V1');
    const { result } = pow.light(cache, DATASET_BYTES, concatBytes(label, tried));
    const best = compareBytes(options.shareTarget, options.blockTarget) > 0;
    const target = best ? options.shareTarget : options.blockTarget;
    if (BigInt(`0x${toHex(result)}`) <= BigInt(`0x${toHex(target)}`))
      found.push(toHex(tried.slice(288)));
  }
  return found;
}

/** All nonces that `search` finds when it is called until the whole range is done. */
function searchAll(work: pow.PowCache, header: Uint8Array, options: PowSearch): string[] {
  const found: string[] = [];
  for (let done = 0; done < options.count; ) {
    const start = options.start + BigInt(done);
    const part = pow.search(work, header, { ...options, start, count: options.count - done });
    done += part.done;
    if (part.hit === undefined) assert.equal(done, options.count);
    else found.push(toHex(part.hit.nonce));
  }
  return found;
}

for (const { build, module } of BUILDS) {
  test(`[STRATUM-04] ${build}: a search finds the nonces that a plain loop finds`, () => {
    const { cache, dataset } = makeWork(module);
    const header = makeHeader();
    const cases: Pick<PowSearch, 'freeBytes' | 'start' | 'count'>[] = [
      { freeBytes: 1, start: 0n, count: 256 },
      { freeBytes: 2, start: 65_536n - 91n, count: 91 },
      { freeBytes: 7, start: 250n, count: 102 },
      { freeBytes: 8, start: (1n << 64n) - 57n, count: 57 },
      { freeBytes: 24, start: 0x0123_4567_89ab_cdefn, count: 61 },
    ];
    for (const range of cases) {
      const targets = { shareTarget: targetFrom(23), blockTarget: targetFrom(3) };
      const options = { ...range, ...targets, datasetBytes: DATASET_BYTES };
      const expected = naive(cache, header, options);
      assert.deepEqual(searchAll(dataset, header, options), expected);
      assert.deepEqual(searchAll(cache, header, options), expected);
      const prefix = toHex(header.slice(288 + Math.min(range.freeBytes, 8)));
      assert.ok(expected.length > 0 && expected.every((nonce) => nonce.endsWith(prefix)));
    }
  });

  test(`${build}: a hit is at or below one of the targets, to the last bit`, () => {
    const { cache, dataset } = makeWork(module);
    const header = makeHeader();
    for (const work of [cache, dataset]) {
      for (let start = 0n; start < 12n; start++) {
        const one = { freeBytes: 8, start, count: 1, datasetBytes: DATASET_BYTES };
        const sure = pow.search(work, header, { ...one, shareTarget: ALL, blockTarget: NONE });
        const { result, nonce } = sure.hit ?? assert.fail('every result is at most 2^256 - 1');
        const tried = concatBytes(header.slice(0, 288), nonce);
        assert.deepEqual(result, pow.light(cache, DATASET_BYTES, powInput(tried)).result);
        const hits = (by: bigint, target: 'shareTarget' | 'blockTarget') => {
          const targets = { shareTarget: NONE, blockTarget: NONE, [target]: shifted(result, by) };
          return pow.search(work, header, { ...one, ...targets }).hit;
        };
        for (const target of ['shareTarget', 'blockTarget'] as const) {
          assert.equal(hits(-1n, target), undefined);
          const equal = hits(0n, target);
          const flags = { share: target === 'shareTarget', block: target === 'blockTarget' };
          assert.deepEqual({ share: equal?.share, block: equal?.block }, flags);
          assert.deepEqual(hits(1n, target), equal);
          assert.equal(hits(-(1n << 200n), target), undefined);
          assert.deepEqual(hits(1n << 64n, target), equal);
          assert.equal(hits(-(1n << 64n), target), undefined);
        }
      }
    }
  });
}

test('a result meets a target that it equals or stays below', () => {
  const result = targetFrom(7);
  assert.equal(meetsTarget(result, result), true);
  assert.equal(meetsTarget(result, shifted(result, 1n)), true);
  assert.equal(meetsTarget(result, shifted(result, -1n)), false);
  assert.equal(meetsTarget(NONE, NONE), true);
  assert.equal(meetsTarget(ALL, NONE), false);
});

test('searches that cannot be are refused', () => {
  const { cache, dataset } = makeWork(SIMD);
  const good = { freeBytes: 8, start: 0n, count: 4, shareTarget: ALL, blockTarget: NONE };
  const bad: [string, pow.PowCache, Uint8Array, Partial<Record<keyof PowSearch, unknown>>][] = [
    ['bad_length', dataset, new Uint8Array(311), {}],
    ['bad_type', dataset, 'header' as unknown as Uint8Array, {}],
    ['out_of_range', dataset, makeHeader(), { freeBytes: 0 }],
    ['out_of_range', dataset, makeHeader(), { freeBytes: 25 }],
    ['out_of_range', dataset, makeHeader(), { count: 0 }],
    ['out_of_range', dataset, makeHeader(), { count: 2 ** 24 + 1 }],
    ['out_of_range', dataset, makeHeader(), { start: -1n }],
    ['out_of_range', dataset, makeHeader(), { freeBytes: 1, start: 253n }],
    ['out_of_range', dataset, makeHeader(), { start: (1n << 64n) - 3n }],
    ['bad_type', dataset, makeHeader(), { start: 5 }],
    ['bad_length', dataset, makeHeader(), { shareTarget: new Uint8Array(31) }],
    ['bad_length', dataset, makeHeader(), { blockTarget: new Uint8Array(33) }],
    ['bad_type', cache, makeHeader(), {}],
  ];
  for (const [code, work, header, change] of bad) {
    const options = { ...good, ...change } as PowSearch;
    assert.throws(() => pow.search(work, header, options), { name: 'SvcError', code });
  }
});
