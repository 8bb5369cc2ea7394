import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { concatBytes, toHex } from 'svc-wasm/base';
import { type KeyPair, mlDsa65 } from 'svc-wasm/kernel';
import { keyHash } from 'svc-wasm/protocol';
import { bytesFrom } from '../../test/testing/script.ts';
import { WallClock } from '../../test/testing/wall-clock.ts';
import { Announcements } from './announcements.ts';
import type { OverlayLink } from './link.ts';
import type { Members } from './members.ts';
import { type OverlayRecord, RecordBook, signRecord } from './record.ts';

await init();

const HOUR = 3_600_000;
const CHAIN_ID = bytesFrom('chain', 48);
const KEYS = new Map(
  ['moved', 'hub', 'far'].map((name): [string, KeyPair] => [
    toHex(bytesFrom(name, 48)),
    mlDsa65.keygen(bytesFrom(`${name}/overlay`, 32)),
  ]),
);
const [MOVED, HUB, FAR] = [...KEYS.keys()] as [string, string, string];

function keyOf(validatorId: string): KeyPair {
  return KEYS.get(validatorId) ?? assert.fail('unknown validator');
}

/** A run of a validator that announces a port, or nothing. */
class Run {
  readonly id: string;
  readonly clock: WallClock;
  readonly records: RecordBook;
  readonly links = new Map<string, OverlayLink>();
  readonly announcements: Announcements;

  constructor(id: string, base: ManualClock, port?: number, aheadMillis = 0) {
    this.id = id;
    this.clock = new WallClock(base);
    this.clock.jump(aheadMillis);
    this.records = new RecordBook(this.clock);
    const { links, records, clock } = this;
    const members = {
      has: (one: string) => one !== id && KEYS.has(one),
      keyHashOf: (one: string) => toHex(keyHash(keyOf(one).publicKey)),
    } as unknown as Members;
    const own = { chainId: CHAIN_ID, validatorId: id, key: keyOf(id) };
    const routes = port === undefined ? [] : [{ host: '9.9.9.9', port, tcp: true, quic: false }];
    this.announcements = new Announcements({ own, links, members, records, clock, routes });
    this.announcements.start();
  }

  /** Links both ways, over which each greets the other. */
  meet(other: Run): void {
    for (const [run, there] of [
      [this, other],
      [other, this],
    ] as const) {
      const send = (_: number, bytes: Uint8Array) => there.hear(run, bytes);
      run.links.set(there.id, { validatorId: there.id, send } as unknown as OverlayLink);
    }
    for (const [run, there] of [
      [this, other],
      [other, this],
    ] as const)
      run.announcements.greet(run.linkTo(there));
  }

  hear(from: Run, bytes: Uint8Array): void {
    this.announcements.received(this.linkTo(from), bytes);
  }

  close(): void {
    this.announcements.close();
  }

  linkTo({ id }: Run): OverlayLink {
    return this.links.get(id) ?? assert.fail('no link');
  }

  /** What is known here of where a validator is. */
  portOf(validatorId: string): number | undefined {
    return this.records.get(validatorId)?.routes[0]?.port;
  }

  bytesOf(validatorId: string): Uint8Array {
    const found = this.records.list().find(({ record }) => record.validatorId === validatorId);
    return found?.bytes ?? assert.fail('no record');
  }
}

/** The validator that moved, at port 1, whose clock is ahead; a hub, and one behind the hub that knows of it. */
function scene(aheadMillis: number) {
  const base = new ManualClock();
  const hub = new Run(HUB, base);
  const far = new Run(FAR, base);
  hub.meet(far);
  const before = new Run(MOVED, base, 1, aheadMillis);
  before.meet(hub);
  return { base, hub, far, before };
}

for (const aheadMillis of [12 * HOUR, 23 * HOUR])
  test(`a validator that restarts with a clock that was ${aheadMillis / HOUR} h ahead and is set right is found at its new place`, () => {
    const { base, hub, far, before } = scene(aheadMillis);
    assert.deepEqual([hub.portOf(MOVED), far.portOf(MOVED)], [1, 1]);
    before.close();
    hub.links.delete(MOVED);
    const again = new Run(MOVED, base, 2);
    again.meet(hub);
    base.advance(0);
    assert.deepEqual([hub.portOf(MOVED), far.portOf(MOVED)], [2, 2]);
    // Its later announcements are above that, although its clock says less.
    for (let half = 0; half < 4; half++) {
      base.advance(HOUR / 2);
      assert.deepEqual([hub.portOf(MOVED), far.portOf(MOVED)], [2, 2], `${half} half hours`);
    }
  });

test('a record of a run whose clock was a day ahead, which others took as the next one, does not hide the next run', () => {
  const { base, hub, far, before } = scene(0);
  before.clock.jump(24 * HOUR);
  base.advance(HOUR / 2);
  assert.ok((far.records.get(MOVED)?.sequence ?? 0) > base.now() + 23 * HOUR);
  before.close();
  hub.links.delete(MOVED);
  new Run(MOVED, base, 2).meet(hub);
  base.advance(0);
  assert.deepEqual([hub.portOf(MOVED), far.portOf(MOVED)], [2, 2]);
});

test('a replayed record, made with a clock that was ahead, makes its validator announce above it', () => {
  const { base, hub, before } = scene(12 * HOUR);
  const old = hub.bytesOf(MOVED);
  before.close();
  const [newHub, again] = [new Run(HUB, base), new Run(MOVED, base, 2)];
  const replaying = new Run(FAR, base);
  again.meet(newHub);
  replaying.meet(newHub);
  assert.equal(newHub.portOf(MOVED), 2);
  newHub.hear(replaying, old);
  base.advance(0);
  assert.equal(newHub.portOf(MOVED), 2);
});

test('records that a validator did not sign change nothing of what it announces', () => {
  const base = new ManualClock();
  const [hub, moved] = [new Run(HUB, base), new Run(MOVED, base, 2)];
  moved.meet(hub);
  const announced = hub.bytesOf(MOVED);
  base.advance(1_000);
  const { sequence } = hub.records.get(MOVED) as OverlayRecord;
  const made = (key: KeyPair, chainId: Uint8Array, more = HOUR): Uint8Array => {
    const expiryMillis = base.now() + HOUR;
    const record = { validatorId: MOVED, sequence: sequence + more, expiryMillis };
    return signRecord({ ...record, routes: [], relays: [] }, chainId, key).bytes;
  };
  // A record by another key may be an earlier one of its own, which an honest neighbour still has.
  moved.hear(hub, made(keyOf(HUB), CHAIN_ID));
  moved.hear(hub, made(keyOf(MOVED), CHAIN_ID, -HOUR));
  moved.hear(hub, announced);
  const otherKeyUnderOwnName = concatBytes(
    keyOf(MOVED).publicKey,
    made(keyOf(HUB), CHAIN_ID).subarray(keyOf(MOVED).publicKey.length),
  );
  for (const wrong of [otherKeyUnderOwnName, made(keyOf(MOVED), bytesFrom('other chain', 48))])
    assert.throws(() => moved.hear(hub, wrong), /signature does not hold/);
  base.advance(60_000);
  assert.deepEqual(hub.bytesOf(MOVED), announced);
});

test('two runs with one key do not answer each other without end', () => {
  const base = new ManualClock();
  const [first, second] = [new Run(MOVED, base, 1), new Run(MOVED, base, 2)];
  const hub = new Run(HUB, base);
  let heard = 0;
  const received = hub.hear.bind(hub);
  hub.hear = (from, bytes) => {
    assert.ok(heard++ < 1_000, 'an end');
    received(from, bytes);
  };
  first.meet(hub);
  // The hub has one link to each validator; the other run hears of the records over the third.
  const far = new Run(FAR, base);
  far.meet(hub);
  second.meet(far);
  for (let seconds = 0; seconds < 600; seconds++) base.advance(1_000);
  assert.ok(heard > 10 && heard <= 4 + 2 * 60, `${heard} records in ten minutes`);
});

test('one that has announced nothing yet says nothing, and begins above what it is shown', () => {
  const { base, hub, before } = scene(12 * HOUR);
  before.close();
  hub.links.delete(MOVED);
  const again = new Run(MOVED, base);
  again.meet(hub);
  base.advance(60_000);
  assert.equal(hub.portOf(MOVED), 1);
  again.announcements.relaysChanged([FAR]);
  assert.deepEqual(hub.records.get(MOVED)?.relays, [FAR]);
});
