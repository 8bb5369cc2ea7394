import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TIMING } from 'svc-consensus/machine';
import { shortestMillis } from 'svc-ledger';
import { timingFor } from './timing.ts';

test('the waits of the main network are those of the protocol', () => {
  assert.deepEqual(timingFor(2_500), TIMING);
});

test('a faster network waits less, within what disks need; votes can still be repaired before timeouts', () => {
  for (const pace of [50, 100, 500, 1_000, 2_500, 60_000]) {
    const timing = timingFor(pace);
    assert.ok(timing.proposeMs >= 200 && timing.proposeMs <= 1_000, `${pace}`);
    assert.ok(timing.voteMs > 2 * timing.antiEntropyMs, `${pace}`);
    assert.equal(timing.paceMs, BigInt(pace));
    assert.equal(timing.gapMs, BigInt(shortestMillis(pace)));
    assert.equal(timing.clockPrecisionMs, TIMING.clockPrecisionMs);
  }
  assert.equal(timingFor(1_000).proposeMs, 400);
});
