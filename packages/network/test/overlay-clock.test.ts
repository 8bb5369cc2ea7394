/**
 * Validators whose wall clocks are set while they run, or between two runs. The tests move monotonic time, and only
 * as far as every validator has been heard, so that a busy machine makes none late.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock, until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { decodeOverlayEndpoint, encodeOverlayEndpoint } from '../src/overlay/endpoint.ts';
import { Overlay, type OverlayOptions } from '../src/overlay/overlay.ts';
import { Committee, freePort, type Reach, type Seat } from './testing/validators.ts';
import { WallClock } from './testing/wall-clock.ts';

await init();

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Less than the silence that ends a link. */
const STEP_MILLIS = 9 * SECOND;

/** A committee of which each has a wall clock of its own; the chain knows no route of the second. */
class Scene {
  readonly base: ManualClock;
  readonly committee: Committee;
  readonly clocks: readonly WallClock[];
  /** Links that ended. */
  readonly parted: readonly string[];

  private constructor(
    base: ManualClock,
    committee: Committee,
    clocks: readonly WallClock[],
    parted: readonly string[],
  ) {
    this.base = base;
    this.committee = committee;
    this.clocks = clocks;
    this.parted = parted;
  }

  static async start(
    t: TestContext,
    seed: string,
    reaches: readonly Reach[],
    optionsOf: (before: readonly Seat[], clock: WallClock) => Partial<OverlayOptions>,
  ): Promise<Scene> {
    const base = new ManualClock();
    const clocks: WallClock[] = [];
    const parted: string[] = [];
    const info = (fields: object, message: string): void => {
      if (message.startsWith('disconnected')) parted.push(JSON.stringify(fields));
    };
    const log = { ...SILENT_LOG, info };
    const committee = await Committee.start(t, seed, reaches, (before) => {
      const clock = new WallClock(base);
      clocks.push(clock);
      return { clock, log, ...optionsOf(before, clock) };
    });
    const [, second] = committee.seats as [Seat, Seat];
    const { keyHash } = decodeOverlayEndpoint(second.endpoint);
    second.endpoint = encodeOverlayEndpoint({ keyHash, routes: [] });
    return new Scene(base, committee, clocks, parted);
  }

  /** Gives the list of all to some. */
  convene(overlays: readonly Overlay[]): void {
    const { seats } = this.committee;
    const members = seats.map(({ id, endpoint }) => ({ validatorId: id, endpoint }));
    for (const overlay of overlays) overlay.setCommittee(members);
  }

  async goOnUntil(holds: () => boolean, what: string): Promise<void> {
    await until(() => {
      this.base.advance(10);
      return holds();
    }, what);
  }

  /** Lets time pass for validators that all hear each other in every step. */
  async pass(millis: number, seats: readonly Seat[]): Promise<void> {
    for (let passed = 0; passed < millis; passed += STEP_MILLIS) {
      this.base.advance(STEP_MILLIS);
      for (const { received } of seats) received.length = 0;
      for (const from of seats)
        for (const to of seats) if (to !== from) from.overlay.send(to.id, Uint8Array.of(1));
      const all = seats.length - 1;
      await until(() => seats.every(({ received }) => received.length === all), 'all messages');
    }
  }
}

/** Listens at a port of loopback and announces it. */
function announcing(port: number): Pick<OverlayOptions, 'listen' | 'announcedRoutes'> {
  return {
    listen: [`/ip4/127.0.0.1/tcp/${port}`],
    announcedRoutes: [{ host: '127.0.0.1', port, tcp: true, quic: false }],
  };
}

test('wall clocks of validators that jump by an hour or by twelve seconds and back end no link and lose no record', async (t) => {
  const port = await freePort();
  const reaches = ['routed', 'routed', 'routed', 'unrouted'] as const;
  const scene = await Scene.start(t, 'jumps', reaches, ({ length }) =>
    length === 1 ? announcing(port) : {},
  );
  const [hub, moved, third, newcomer] = scene.committee.seats as [Seat, Seat, Seat, Seat];
  const [hubClock, movedClock, thirdClock] = scene.clocks as [WallClock, WallClock, WallClock];
  const there = [hub, moved, third];
  scene.convene(there.map(({ overlay }) => overlay));
  const isLinked = ({ overlay }: Seat): boolean => overlay.neighbours().length === 2;
  await scene.goOnUntil(() => there.every(isLinked), 'links');
  const pass = (millis: number): Promise<void> => scene.pass(millis, there);
  await pass(MINUTE);
  movedClock.jump(HOUR);
  await pass(31 * MINUTE); // Its record is made anew meanwhile.
  hubClock.jump(12 * SECOND);
  thirdClock.jump(-HOUR);
  await pass(MINUTE);
  movedClock.jump(-HOUR);
  await pass(31 * MINUTE);
  hubClock.jump(HOUR - 12 * SECOND);
  thirdClock.jump(2 * HOUR);
  await pass(MINUTE);
  assert.deepEqual(scene.parted, []);
  // A newcomer learns the address of the second from these two alone.
  scene.convene([newcomer.overlay]);
  const found = (): boolean => newcomer.overlay.neighbours().includes(moved.id);
  await scene.goOnUntil(found, 'the place that was announced');
  assert.deepEqual(scene.parted, []);
});

test('a validator that comes back with a clock that was hours ahead and is set right is found where it announces to be', async (t) => {
  const [port, nextPort] = [await freePort(), await freePort()];
  const reaches = ['routed', 'routed', 'unrouted'] as const;
  const scene = await Scene.start(t, 'set right', reaches, ([hub, ...more], clock) => {
    if (hub === undefined || more.length > 0) return {};
    clock.jump(12 * HOUR);
    return { ...announcing(port), relays: [hub.id] };
  });
  const [hub, moved, far] = scene.committee.seats as [Seat, Seat, Seat];
  scene.convene([hub, moved, far].map(({ overlay }) => overlay));
  const isFound = (): boolean => far.overlay.neighbours().includes(moved.id);
  await scene.goOnUntil(isFound, 'the first place');
  await moved.overlay.close();
  await scene.goOnUntil(() => !isFound(), 'its end');
  const { manifest } = scene.committee.script;
  const again = await Overlay.open({
    ...announcing(nextPort),
    directory: moved.directory,
    chainId: manifest.chainId,
    validatorId: moved.id,
    allowPrivateAddresses: true,
    relays: [hub.id],
    clock: new WallClock(scene.base),
    application: {
      wire: scene.committee.wire,
      position: () => ({ height: 1, round: 0 }),
      verify: () => [],
    },
  });
  t.after(() => again.close());
  scene.convene([again]);
  await again.start();
  await scene.goOnUntil(isFound, 'the second place');
  assert.deepEqual(again.neighbours().toSorted(), [hub.id, far.id].toSorted());
});
