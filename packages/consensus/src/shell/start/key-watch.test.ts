import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock } from 'svc-base/testing';
import { height } from 'svc-consensus/machine';
import type { Driver } from '../driver.ts';
import { KeyWatch } from './key-watch.ts';
import type { OpenedValidator } from './open-validator.ts';
import { BEHIND_HEIGHTS, rulesFor } from './timing.ts';

const HEAD = 10;
const OWN = 1;

/** A validator whose record knows no signature, and whose chain was shown to be current at height 10. */
function watchedKey() {
  const clock = new ManualClock();
  const lacked: number[] = [];
  const signer = {
    awaitsCurrent: false,
    state: { stopped: false, last: undefined },
    lacksPrecommit: () => true,
    recordLacks: (at: number) => void lacked.push(at),
    stop(): void {
      this.state.stopped = true;
    },
  };
  const driver = {
    ports: {
      clock,
      log: SILENT_LOG,
      chain: { head: { height: HEAD }, paceMillis: 2_500, interval: 34_560 },
    },
    rules: rulesFor(2_500),
    signer,
    endings: [],
    height: height(HEAD + 1),
    heldThrough: 0,
    ownIndexAt: () => OWN,
    pause: () => {},
    resume: () => {},
    attempt: (call: () => void) => call(),
  } as unknown as Driver;
  const watch = new KeyWatch(driver);
  watch.begin(
    { height: 0 } as OpenedValidator,
    () => true,
    () => {},
  );
  while (watch.isWaiting) clock.advance(1_000);
  const hearSigned = (signed: number) => {
    const previousSigners = 1n << BigInt(OWN);
    const header = { time: 0n, previousSigners, previousRound: 0 };
    watch.hearHeader({ height: signed + 1, header });
  };
  return { hearSigned, lacked, signer };
}

test('an own signature that final headers name stops the key from the first height on that no earlier process can have signed', () => {
  const first = HEAD + 1 + BEHIND_HEIGHTS;
  const before = watchedKey();
  before.hearSigned(first - 1);
  assert.deepEqual([before.lacked, before.signer.state.stopped], [[first - 1], false]);
  const after = watchedKey();
  after.hearSigned(first);
  assert.deepEqual([after.lacked, after.signer.state.stopped], [[], true]);
});
