import assert from 'node:assert/strict';
import { test } from 'node:test';
import { momentOf } from './options.ts';

test('a day begins and ends at midnight in UTC, and a time is itself', () => {
  const [begin, end] = [momentOf('--from-date', 'begin'), momentOf('--to-date', 'end')];
  const midnight = Date.UTC(2026, 10, 30);
  assert.deepEqual([begin('2026-11-30'), end('2026-11-29')], [midnight, midnight]);
  assert.equal(end('2026-11-30T00:00:00Z'), midnight);
  assert.equal(begin('2026-11-30T01:00+01:00'), midnight);
  for (const text of [
    '',
    '2026',
    '2026-11',
    '2026-11-31',
    '2026-02-29',
    '30.11.2026',
    '1',
    '2026-11-30T18:00',
    '1969-12-31',
  ])
    assert.throws(() => begin(text), /expected 2026-11-30/, text);
});
