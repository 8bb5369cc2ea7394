import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfig, Settings } from './layers.ts';
import { resolveConfig } from './resolve.ts';

const SURROUNDINGS = { directory: '/srv/node', home: '/nonexistent' };

test('more peers than the memory is enough for at the extremes are warned about', () => {
  const warnings = (inboundMax: number, memoryBytes: number) =>
    resolveConfig(
      new Settings([parseConfig(`{"peers": {"inbound_max": ${inboundMax}}}`, 'node.json')]),
      { ...SURROUNDINGS, memoryBytes },
    ).warnings;
  assert.deepEqual(warnings(64, 4e9), []);
  assert.deepEqual(warnings(1_024, 32e9), []);
  assert.match(
    warnings(1_024, 16e9)[0] ?? '',
    /^1024 connections .* 28\.7 GB .* 16\.0 GB; lower peers\.inbound_max$/,
  );
});
