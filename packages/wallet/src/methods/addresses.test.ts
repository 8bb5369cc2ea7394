import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { openState } from '../state/open-state.ts';
import { gapWarning } from './addresses.ts';

test('callers are warned when four fifths of the gap are unpaid, and told when it is exceeded', () => {
  assert.equal(gapWarning(0, 1000), undefined);
  assert.equal(gapWarning(799, 1000), undefined);
  assert.match(gapWarning(800, 1000) ?? '', /^800 addresses .* looks at 1000: give out fewer/);
  assert.match(gapWarning(1000, 1000) ?? '', /give out fewer/);
  assert.match(gapWarning(1001, 1000) ?? '', /would not see a payment to this one/);
  assert.equal(gapWarning(0, 1), undefined);
});

test('unpaid addresses are counted from the last one that was paid, whichever that is', (t) => {
  const state = openState(
    join(temporaryDirectory(t), 'wallet'),
    { fingerprint: '00112233aabbccdd', network: 'development' },
    'test',
  );
  t.after(() => state.close());
  const { addresses } = state;
  const ids = Array.from({ length: 10 }, (_, at) => addresses.add(0, at, `address ${at}`, true));
  assert.equal(addresses.unpaid(0), 0);
  for (let given = 1; given <= 6; given++) {
    addresses.issue(0, null, 0);
    assert.equal(addresses.unpaid(0), given);
  }
  addresses.markUsed(ids[3] as number, 7);
  assert.equal(addresses.unpaid(0), 2);
  addresses.markUsed(ids[1] as number, 8);
  assert.equal(addresses.unpaid(0), 2);
  addresses.markUsed(ids[8] as number, 9);
  assert.equal(addresses.unpaid(0), 0);
  assert.throws(() =>
    state.database.transaction(() => {
      addresses.issue(0, null, 0);
      throw new Error('taken back');
    }),
  );
  assert.equal(addresses.unpaid(0), 0);
});
