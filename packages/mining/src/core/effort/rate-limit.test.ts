import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RateLimit } from './rate-limit.ts';

test('no stretch of time admits more than its burst and its rate', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.integer({ min: -20, max: 400 }), { maxLength: 200 }),
      (perSecond, burst, steps) => {
        const limit = new RateLimit({ perSecond, burst }, 0);
        let now = 0;
        let latest = 0;
        let admitted = 0;
        let forward = 0;
        for (const step of steps) {
          now = Math.max(0, now + step);
          forward += Math.max(0, now - latest);
          latest = now;
          if (limit.admit(now)) admitted++;
          assert.ok(admitted <= burst + (forward * perSecond) / 1_000);
        }
      },
    ),
  );
});

test('after a pause the whole burst is there again, and no more', () => {
  const limit = new RateLimit({ perSecond: 10, burst: 3 }, 0);
  const admit = (now: number) => [1, 2, 3, 4].map(() => limit.admit(now));
  assert.deepEqual(admit(0), [true, true, true, false]);
  assert.deepEqual(admit(100), [true, false, false, false]);
  assert.deepEqual(admit(1_000_000), [true, true, true, false]);
});
