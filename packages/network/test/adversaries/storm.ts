/**
 * Peers that connect, say a proper hello, and go, again and again, under a new name every ten times; with silent sockets of
 * another range that come back at once. Honest peers are there before the storm, and one comes during it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type TestEnd, until } from 'svc-base/testing';
import type { Network } from '../../src/network.ts';
import { LOOPBACK, startNetwork } from '../testing/kit.ts';
import { MemoryApplication } from '../testing/memory-application.ts';
import { RawPeer } from '../testing/raw-peer.ts';
import { ChainScript, payment } from '../testing/script.ts';
import { occupy } from '../testing/silent-sockets.ts';
import { type Adversary, closing, secondsUntil, took } from './finding.ts';

const STORMERS = 8;
const SOCKETS = 48;
const SAME_NAME = 10;
const PAUSE_MILLIS = 20;
const FOLLOWERS = 4;
const PAYMENTS = 60;
const PAYMENT_MILLIS = 150;
const SECONDS_MAX = 60;

interface Weathered {
  /** Seconds until the newcomer has its slot. */
  readonly joined: number | undefined;
  /** How long the slowest payment took from there to the node. */
  readonly slowest: number | undefined;
  readonly followers: number;
  readonly hellos: number;
  readonly sockets: number;
}

export const reconnectStorm: Adversary = async (size) => {
  const alone = await closing((t) => weathered(t, 0));
  const beside = await closing((t) => weathered(t, size));
  const { joined, slowest, followers, hellos, sockets } = beside;
  return {
    alone: text(alone),
    beside: text(beside),
    attacker: `${hellos} hellos of ${size * STORMERS} peers, ${sockets} silent sockets`,
    demand: `a place and every payment, each within ${SECONDS_MAX} s; no peer is lost`,
    holds: joined !== undefined && slowest !== undefined && followers === FOLLOWERS,
  };
};

async function weathered(t: TestEnd, size: number): Promise<Weathered> {
  const script = new ChainScript({ seed: 'storm' });
  const application = new MemoryApplication(script);
  const network = await startNetwork(t, application);
  const bootstrap = [network.addresses[0] as string];
  const limits = { ...LOOPBACK.limits, outboundTarget: 1 };
  const follower = async (): Promise<MemoryApplication> => {
    const made = new MemoryApplication(script);
    await startNetwork(t, made, { bootstrap, limits });
    return made;
  };
  for (let i = 0; i < FOLLOWERS; i++) await follower();
  await until(() => network.peers.size === FOLLOWERS, 'the followers');
  const early = network.peers.list();
  const storm = await begin(t, network, application, size);
  const newcomer = new MemoryApplication(script);
  const { peerId } = await startNetwork(t, newcomer, { bootstrap, limits });
  const joined = await secondsUntil(() => network.peers.get(peerId) !== undefined, SECONDS_MAX);
  const slowest = await pay(newcomer, application);
  storm.isOver = true;
  await storm.ended;
  return {
    joined,
    slowest,
    followers: early.filter((peer) => network.peers.get(peer.id) === peer).length,
    hellos: storm.hellos,
    sockets: storm.sockets(),
  };
}

/** One payment after another, for ten seconds and more; how long the slowest took. */
async function pay(from: MemoryApplication, to: MemoryApplication): Promise<number | undefined> {
  let slowest = 0;
  for (let at = 0; at < PAYMENTS; at++) {
    const { id, wire } = payment(from.manifest, `storm ${at}`);
    await from.submitTransaction(wire);
    const seconds = await secondsUntil(() => to.hasTransaction(id), SECONDS_MAX);
    if (seconds === undefined) return undefined;
    slowest = Math.max(slowest, seconds);
    await pause(PAYMENT_MILLIS);
  }
  return slowest;
}

async function begin(t: TestEnd, network: Network, application: MemoryApplication, size: number) {
  const storm = {
    isOver: false,
    hellos: 0,
    ended: Promise.resolve() as Promise<unknown>,
    sockets: () => 0,
  };
  if (size === 0) return storm;
  const reconnect = async (): Promise<void> => {
    while (!storm.isOver) {
      const raw = await RawPeer.create(t);
      for (let again = 0; again < SAME_NAME && !storm.isOver; again++) {
        const isIn = await raw.join(network, application).then(
          () => true,
          () => false,
        );
        if (isIn) storm.hellos++;
        await pause(PAUSE_MILLIS);
        for (const connection of raw.host.getConnections()) connection.abort(new Error('again'));
      }
      await raw.host.stop();
    }
  };
  storm.ended = Promise.all(Array.from({ length: size * STORMERS }, reconnect));
  const port = Number(network.addresses[0]?.split('/')[4]);
  const occupation = await occupy(t, port, '127.9.9.9', size * SOCKETS);
  storm.sockets = () => occupation.connected;
  return storm;
}

function text({ joined, slowest, followers }: Weathered): string {
  const place = `a place ${took(joined, SECONDS_MAX)}`;
  const coins = `${PAYMENTS} payments, the slowest ${took(slowest, SECONDS_MAX)}`;
  return `${place}, ${coins}, ${followers} of ${FOLLOWERS} earlier peers`;
}
