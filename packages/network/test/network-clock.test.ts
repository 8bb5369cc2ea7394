/**
 * Nodes whose wall clocks are set while they run. Every answer that a node waits for here may take ten minutes, which no
 * machine needs: only a jump of an hour could be taken for that.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import type { CertifiedHeight } from '../src/application.ts';
import type { Network } from '../src/network.ts';
import { RELAY_PROTOCOL } from '../src/relay/relay.ts';
import { encodeAnnouncement, RELAY } from '../src/relay/relay-bytes.ts';
import { LOOPBACK, startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { RawPeer } from './testing/raw-peer.ts';
import { bytesFrom, ChainScript, payment } from './testing/script.ts';
import { WallClock } from './testing/wall-clock.ts';

await init();

const SECOND = 1_000;
const HOUR = 3_600_000;
const PATIENCE_MILLIS = 600_000;

/** A node that can be made to take its time for certificates. */
class SlowApplication extends MemoryApplication {
  asked = 0;
  #gate = Promise.withResolvers<void>();

  constructor(chain: ChainScript) {
    super(chain);
    this.#gate.resolve();
  }

  shut(): void {
    this.asked = 0;
    this.#gate = Promise.withResolvers();
  }

  open(): void {
    this.#gate.resolve();
  }

  override async certificate(height: number): Promise<Uint8Array | undefined> {
    await this.#pass();
    return super.certificate(height);
  }

  override async lastCertificate(from: number, last: number): Promise<CertifiedHeight | undefined> {
    await this.#pass();
    return super.lastCertificate(from, last);
  }

  async #pass(): Promise<void> {
    this.asked++;
    await this.#gate.promise;
  }
}

test('wall clocks of nodes that jump by an hour or by twelve seconds and back cost no peer and no request, and lift no ban', async (t) => {
  const chain = new ChainScript({ seed: 'jumps' });
  const applications = [0, 1, 2].map(() => new SlowApplication(chain));
  const [source, middle, far] = applications as [SlowApplication, SlowApplication, SlowApplication];
  const clocks = applications.map(() => new WallClock(SYSTEM_CLOCK));
  const complaints: string[] = [];
  const networks: Network[] = [];
  for (const [at, application] of applications.entries()) {
    const [before] = networks.slice(-1);
    const complain = (fields: object, message: string): void => {
      if (/asks another peer|something wrong/.test(message))
        complaints.push(`${at}: ${message} ${JSON.stringify(fields)}`);
    };
    const network = await startNetwork(t, application, {
      clock: clocks[at] as WallClock,
      log: { ...SILENT_LOG, info: complain },
      bootstrap: before === undefined ? [] : [before.addresses[0] as string],
      limits: { ...LOOPBACK.limits, outboundTarget: before === undefined ? 0 : 1 },
      answerMillisMax: PATIENCE_MILLIS,
      syncTiming: { silenceMillisMax: PATIENCE_MILLIS, answerMillisMax: PATIENCE_MILLIS },
    });
    networks.push(network);
    if (before !== undefined)
      await until(() => before.peers.get(network.peerId) !== undefined, 'a row');
  }
  const [, hub] = networks as [Network, Network, Network];

  const [banned, silent] = [await RawPeer.create(t), await RawPeer.create(t)];
  await banned.join(hub, middle);
  hub.peers.ban(hub.peers.get(banned.id) ?? assert.fail('no peer'), 'a test');
  await until(() => hub.peers.get(banned.id) === undefined, 'the ban');
  await silent.join(hub, middle);
  const stream = await silent.open(RELAY_PROTOCOL);
  const blocks = [Buffer.from(bytesFrom('nothing', 48)).toString('hex')];
  stream.send(RELAY.announce, encodeAnnouncement({ transactions: [], blocks }));
  await until(() => hub.relay.queuedBlocks === 1, 'something that is wanted');

  let left = 0;
  for (const { peers } of networks) peers.left.on(() => left++);
  const jumps: readonly (readonly [number, number, number])[] = [
    [0, HOUR, 0],
    [12 * SECOND, -HOUR, 12 * SECOND],
    [0, 0, HOUR],
    [HOUR, 0, -HOUR],
    [-HOUR, 12 * SECOND, 0],
    [0, HOUR + SECOND, 0],
  ];
  for (const [round, jump] of jumps.entries()) {
    for (const application of applications) application.shut();
    source.script.append();
    source.adopt();
    await until(() => source.asked > 0, 'a question');
    const { id, wire } = payment(chain.manifest, `round ${round}`);
    await far.submitTransaction(wire);
    for (const [at, millis] of jump.entries()) clocks[at]?.jump(millis);
    for (const application of applications) application.open();
    const areThere = (): boolean =>
      applications.every(({ tip, pool }) => tip.height === round + 1 && pool.has(id));
    await until(areThere, `the certificate and the payment of round ${round}`);
    await assert.rejects(banned.join(hub, middle), `banned in round ${round}`);
  }
  assert.deepEqual([left, complaints], [0, []]);
  assert.equal(hub.relay.queuedBlocks, 1, 'still wanted');
  for (const { peers } of networks) for (const { score } of peers.list()) assert.ok(score >= 0);
  assert.deepEqual(
    hub.bans.list().map(({ subject }) => subject),
    [banned.id],
  );
});

test('a connected peer is reported to others after a jump of the wall clock by more than a day', async (t) => {
  const chain = new ChainScript({ seed: 'a day' });
  const clock = new WallClock(SYSTEM_CLOCK);
  const silent = { limits: { ...LOOPBACK.limits, outboundTarget: 0 } };
  const second = await startNetwork(t, new MemoryApplication(chain), silent);
  const hub = await startNetwork(t, new MemoryApplication(chain), {
    clock,
    bootstrap: [second.addresses[0] as string],
  });
  await until(() => hub.peers.get(second.peerId) !== undefined, 'the first peer');
  clock.jump(25 * HOUR);
  const bootstrap = [hub.addresses[0] as string];
  const third = await startNetwork(t, new MemoryApplication(chain), { bootstrap });
  await until(() => third.peers.get(second.peerId) !== undefined, 'a reported peer');
});
