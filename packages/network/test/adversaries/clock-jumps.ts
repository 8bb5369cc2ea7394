/**
 * No attacker: the wall clock of a machine is set, ahead and back, under a node with peers and a validator with
 * links.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, type Log, SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { type TestEnd, temporaryDirectory, until } from 'svc-base/testing';
import type { Network } from '../../src/network.ts';
import { LOOPBACK, startNetwork } from '../testing/kit.ts';
import { MemoryApplication } from '../testing/memory-application.ts';
import { ChainScript } from '../testing/script.ts';
import { Committee } from '../testing/validators.ts';
import { type Adversary, closing, secondsUntil, took } from './finding.ts';

const PEERS = 4;
const LINKS = 3;
const HOUR = 3_600_000;
const JUMPS_MILLIS = [13_000, HOUR, -2 * HOUR, 24 * HOUR, -24 * HOUR];
/** Links look every three seconds whether the other side is there. */
const LOOK_MILLIS = 4_000;
const SECONDS_MAX = 30;

interface Kept {
  readonly lostPeers: number;
  readonly lostLinks: number;
  /** Seconds until a peer that was lost for another reason is connected again. */
  readonly seconds: number | undefined;
}

export const clockJumps: Adversary = async () => {
  const alone = await closing((t) => kept(t, []));
  const beside = await closing((t) => kept(t, JUMPS_MILLIS));
  return {
    alone: text(alone),
    beside: text(beside),
    attacker: `${JUMPS_MILLIS.map((millis) => `${millis / 1_000}`).join(', ')} s`,
    demand: `no peer and no link is lost, and one that parts is back within ${SECONDS_MAX} s`,
    holds: beside.lostPeers + beside.lostLinks === 0 && beside.seconds !== undefined,
  };
};

async function kept(t: TestEnd, jumps: readonly number[]): Promise<Kept> {
  let aheadMillis = 0;
  const clock: Clock = { ...SYSTEM_CLOCK, now: () => SYSTEM_CLOCK.now() + aheadMillis };
  const network = await connectedNetwork(t, clock);
  const links = await linkedValidator(t, clock);
  let lostPeers = 0;
  network.peers.left.on(() => lostPeers++);
  for (const jump of jumps) {
    aheadMillis += jump;
    await pause(LOOK_MILLIS);
  }
  const lost = { lostPeers, lostLinks: links.lost };
  network.peers.list()[0]?.disconnect();
  await until(() => network.peers.size < PEERS, 'a peer to part');
  const seconds = await secondsUntil(() => network.peers.size === PEERS, SECONDS_MAX);
  return { ...lost, seconds };
}

/** A node that has dialled others, whom it knows from its peer book alone. */
async function connectedNetwork(t: TestEnd, clock: Clock): Promise<Network> {
  const script = new ChainScript({ seed: 'clocks' });
  const bootstrap: string[] = [];
  const limits = { ...LOOPBACK.limits, outboundTarget: 0 };
  while (bootstrap.length < PEERS) {
    const other = await startNetwork(t, new MemoryApplication(script), { limits });
    bootstrap.push(other.addresses[0] as string);
  }
  const directory = temporaryDirectory();
  const application = new MemoryApplication(script);
  const first = await startNetwork(t, application, { directory, bootstrap });
  await until(() => first.peers.size === PEERS, 'the peers');
  await first.close();
  const network = await startNetwork(t, application, { directory, clock });
  await until(() => network.peers.size === PEERS, 'the peers of before');
  return network;
}

/** How many links of a validator ended since it had all of them. */
async function linkedValidator(t: TestEnd, clock: Clock): Promise<{ readonly lost: number }> {
  const seen = { lost: 0 };
  const log: Log = {
    ...SILENT_LOG,
    info: (_, message) => {
      if (message.startsWith('disconnected')) seen.lost++;
    },
  };
  const reaches = Array.from({ length: LINKS + 1 }, () => 'routed' as const);
  const committee = await Committee.start(t, 'clocks', reaches, (before) =>
    before.length === 0 ? { clock, log } : {},
  );
  committee.convene();
  await until(() => committee.linkCounts().every((count) => count === LINKS), 'the links');
  seen.lost = 0;
  return seen;
}

function text({ lostPeers, lostLinks, seconds }: Kept): string {
  const lost = `${lostPeers} of ${PEERS} peers and ${lostLinks} of ${LINKS} links lost`;
  return `${lost}; a peer that parted is back ${took(seconds, SECONDS_MAX)}`;
}
