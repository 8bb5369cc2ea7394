/**
 * Conformance hashes: for each encoded type the SHA-384 over many generated encodings, each after
 * its length. A second implementation that generates the same cases must find the same hashes, and
 * a change of any encoding shows here.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { toHex } from '../../src/base/bytes.ts';
import type { Codec } from '../generate/codec.ts';
import { Random } from '../generate/random.ts';

/** What every run of the tests compares. */
export const FEW_CASES = 2048;
export const ALL_CASES = 65_536;

export interface ConformanceHashes {
  readonly [cases: string]: string;
}

/** The hashes after as many cases as each of the counts says, which ascend. */
export function conformanceHashes(codec: Codec, counts: readonly number[]): ConformanceHashes {
  const random = new Random(`conformance ${codec.name}`);
  const hash = createHash('sha384');
  const hashes: Record<string, string> = {};
  for (let done = 1; done <= Math.max(...counts); done++) {
    const bytes = codec.generate(random);
    const again = codec.again(bytes);
    if (Buffer.compare(bytes, again) !== 0) {
      assert.fail(`${codec.name}, case ${done}: ${toHex(bytes)} becomes ${toHex(again)}`);
    }
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    hash.update(length).update(bytes);
    if (counts.includes(done)) hashes[String(done)] = hash.copy().digest('hex');
  }
  return hashes;
}
