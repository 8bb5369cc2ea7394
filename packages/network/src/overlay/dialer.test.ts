import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock } from 'svc-base/testing';
import { Traffic } from '../host/traffic.ts';
import { Dialer, type DialerOptions } from './dialer.ts';

const MINUTES = 3;
const STEP_MILLIS = 250;
const OTHER = 'bb'.repeat(48);
/** No listener is there. */
const ROUTE = { host: '127.0.0.1', port: 9, tcp: true, quic: false };

/** As long as a refused connection takes. */
function refusal(): Promise<void> {
  return new Promise((resolve) => {
    connect({ host: ROUTE.host, port: ROUTE.port }).once('error', () => setImmediate(resolve));
  });
}

/** How often a validator that cannot be reached is dialled. */
async function dials(prepare: (dialer: Dialer) => void): Promise<number> {
  const clock = new ManualClock();
  let count = 0;
  const dialer = new Dialer({
    ports: { own: { validatorId: 'aa'.repeat(48) } } as DialerOptions['ports'],
    members: {
      ids: [OTHER],
      has: () => true,
      routesOf: () => [ROUTE],
      isOwnRouted: true,
    } as unknown as DialerOptions['members'],
    rules: () => {
      count++;
      return { allowPrivateAddresses: true, ownAddresses: [] };
    },
    traffic: new Traffic(),
    clock,
    log: SILENT_LOG,
    dialBackMillis: 5_000,
    relays: undefined,
    isLinked: () => false,
    onGreeted: () => assert.fail('no member is there'),
  });
  prepare(dialer);
  dialer.start();
  let settled = 0;
  for (let millis = 0; millis < MINUTES * 60_000; millis += STEP_MILLIS) {
    for (let times = 0; count > settled && times < 5; times++) await refusal();
    settled = count;
    clock.advance(STEP_MILLIS);
  }
  dialer.close();
  return count;
}

test('a route that never led anywhere is dialled once in a minute, one that was cut off every few seconds', async () => {
  const never = await dials(() => {});
  assert.ok(never >= 5 && never <= 14, `${never} dials`);
  const cutOff = await dials((dialer) => {
    dialer.linked(OTHER);
    dialer.parted(OTHER, false);
  });
  assert.ok(cutOff >= MINUTES * 10 && cutOff <= MINUTES * 24, `${cutOff} dials`);
  const blamed = await dials((dialer) => {
    dialer.linked(OTHER);
    dialer.parted(OTHER, true);
  });
  assert.ok(blamed <= 14, `${blamed} dials`);
});
