import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CampaignPart, faultsOf, partsIn, refusalOf, withPart } from './campaign-record.ts';

const PART: CampaignPart = {
  commit: '0123456789',
  level: 'finality',
  from: 1_000,
  seeds: 500,
  validators: '3..7',
  faults: 'all',
  architecture: 'arm64',
  violations: 0,
  cpuSeconds: 7,
};

test('a page gives back the parts that it was made of', () => {
  const other = { ...PART, level: 'node', violations: 2, faults: 'all but loss' } as const;
  assert.deepEqual(partsIn(withPart(withPart('', PART), other)), [PART, other]);
});

test('parts that follow each other on one commit become one row, others do not', () => {
  const next = { ...PART, from: 1_500, seeds: 100, violations: 1, cpuSeconds: 2 };
  const page = withPart(withPart('', PART), next);
  assert.deepEqual(partsIn(page), [{ ...PART, seeds: 600, violations: 1, cpuSeconds: 9 }]);
  assert.match(page, /\| finality \| 600 \| 1000000 \| 1 \| 9 \|/);
  const later = { ...next, commit: 'abcdef0123' };
  assert.deepEqual(partsIn(withPart(withPart('', PART), later)), [PART, later]);
});

test('a seed counts once for the same validators and faults', () => {
  const page = withPart('', PART);
  const again = { ...PART, commit: 'abcdef0123', from: 1_499, seeds: 1 };
  assert.throws(() => withPart(page, again), /seeds 1000 to 1499 of level finality/);
  assert.match(refusalOf(page, again) ?? '', /seeds 1000 to 1499 of level finality/);
  assert.equal(refusalOf(page, { ...again, from: 1_500 }), undefined);
  assert.equal(partsIn(withPart(page, { ...again, validators: '4..4' })).length, 2);
});

test('a row that is none is refused', () => {
  const page = withPart('', PART);
  assert.throws(() => partsIn(page.replace('| 1000 | 500 |', '| 1000 | many |')), /no number/);
  assert.throws(() => partsIn(page.replace('| arm64 |', '|')), /no part of a campaign/);
});

test('faults are named by what differs from all', () => {
  assert.equal(faultsOf({}), 'all');
  assert.equal(
    faultsOf({ without: new Set(['loss', 'disk']), always: new Set(['peers']) }),
    'all but loss, disk; always peers',
  );
});
