import assert from 'node:assert/strict';
import { test } from 'node:test';
import { multiaddr } from '@multiformats/multiaddr';
import { ManualClock } from 'svc-base/testing';
import { UPGRADES_MAX, UpgradeLimit } from './upgrade-limit.ts';

/** Connections that are never encrypted unless the test says so. */
class SlowConnections {
  readonly clock = new ManualClock();
  readonly places = new UpgradeLimit((host) => host === '9.9.9.9', this.clock);
  readonly ended: string[] = [];

  /** Resolves with false if there is no place. */
  async open(host: string): Promise<boolean> {
    const { promise: upgrading, reject } = Promise.withResolvers<never>();
    const remoteAddr = multiaddr(`/ip4/${host}/tcp/1`);
    const abort = (error: Error): void => {
      this.ended.push(host);
      reject(error);
    };
    let hasBegun = false;
    this.places
      .occupy({ remoteAddr, abort }, () => {
        hasBegun = true;
        return upgrading;
      })
      .catch(() => {});
    await Promise.resolve();
    return hasBegun;
  }
}

test('a slow connection keeps its slot for five seconds, and then until another of its range needs it', async () => {
  const slow = new SlowConnections();
  for (let place = 1; place <= 8; place++) {
    assert.ok(await slow.open(`8.8.8.${place}`));
    slow.clock.advance(100);
  }
  assert.equal(await slow.open('8.8.8.100'), false, 'none has had its time');
  assert.ok(await slow.open('7.7.7.7'), 'another range has places of its own');
  slow.clock.advance(4_200);
  assert.ok(await slow.open('8.8.8.101'));
  assert.equal(await slow.open('8.8.8.102'), false, 'the second has had less');
  assert.deepEqual(slow.ended, ['8.8.8.1']);
  slow.clock.advance(50_000);
  assert.deepEqual(slow.ended, ['8.8.8.1'], 'no newcomer needs a slot');
});

test('when all places are taken the oldest gives way, and known hosts have places that others do not get', async () => {
  const slow = new SlowConnections();
  const others = UPGRADES_MAX - 16;
  for (let place = 1; place <= others; place++) assert.ok(await slow.open(`${place}.1.1.1`));
  assert.equal(await slow.open('100.1.1.1'), false);
  assert.ok(await slow.open('9.9.9.9'));
  slow.clock.advance(5_000);
  assert.ok(await slow.open('100.1.1.1'), 'the oldest has had its time');
  assert.deepEqual(slow.ended, ['1.1.1.1']);
});
