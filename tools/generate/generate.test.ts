/**
 * The committed sources are what the generators make, and the constants that the generators compute
 * are the published ones.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { kernelSources } from './generated-files.ts';
import { rotationOffsets, roundConstants } from './keccak-constants.ts';

const FOLDER = new URL('../../packages/protocol/assembly/generated/', import.meta.url);

test('every generated file is committed as its generator makes it', () => {
  const files = kernelSources();
  assert.equal(new Set(files.map(({ name }) => name)).size, files.length);
  for (const { name, text } of files) {
    assert.equal(
      readFileSync(new URL(name, FOLDER), 'utf8'),
      text,
      `${name}: run npm run generate`,
    );
  }
});

test('Keccak constants are those of FIPS 202', () => {
  const constants = roundConstants();
  assert.deepEqual(constants.slice(0, 3), [0x1n, 0x8082n, 0x800000000000808an]);
  assert.equal(constants[23], 0x8000000080008008n);
  const published = [
    0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
  ];
  assert.deepEqual(rotationOffsets(), published);
});
