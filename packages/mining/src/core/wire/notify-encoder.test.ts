import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetOf } from '../effort/difficulty.ts';
import { encodeMessage } from './message-stream.ts';
import { PROTOCOLS } from './messages.ts';
import { NotifyEncoder } from './notify-encoder.ts';

const JOB = {
  type: 'notify',
  job: 0xfedc_ba98,
  header: Uint8Array.from({ length: 312 }, (_, place) => place & 0xff),
  blockTarget: new Uint8Array(32),
  height: 1_010,
  anchorHeight: 1_000,
  expiresHeight: 1_096,
  period: 3,
  isClean: true,
} as const;

for (const protocol of PROTOCOLS)
  test(`a job for many targets has the bytes of ${protocol} that it has alone`, () => {
    const encoder = new NotifyEncoder(JOB, protocol);
    const zeros = new Uint8Array(32);
    const targets = [1n, 3n, 3n, 1n << 40n, (1n << 200n) + 12_345n, 1n].map(targetOf);
    const made = [zeros, ...targets, zeros].map((target) => encoder.encode(target));
    const alone = [zeros, ...targets, zeros].map((shareTarget) =>
      encodeMessage({ ...JOB, shareTarget }, protocol),
    );
    assert.deepEqual(made, alone);
    assert.equal(made[2], made[3], 'the same target twice is made once');
  });
