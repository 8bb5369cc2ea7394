/**
 * Peers that shake hands and occupy every free slot of a node, while newcomers try to connect.
 */
import { type TestEnd, until } from 'svc-base/testing';
import { HOST_LIMITS } from '../../src/host/options.ts';
import { LOOPBACK, startNetwork } from '../testing/kit.ts';
import { MemoryApplication } from '../testing/memory-application.ts';
import { RawPeer } from '../testing/raw-peer.ts';
import { ChainScript } from '../testing/script.ts';
import { type Adversary, closing, secondsUntil, took } from './finding.ts';

const { inboundMax } = HOST_LIMITS;
const BEYOND = 8;
const NEWCOMERS = 4;
const SECONDS_MAX = 30;

interface Seating {
  readonly admitted: number;
  /** Seconds of the slowest newcomer. */
  readonly seconds: number | undefined;
  readonly isUsefulThere: boolean;
  readonly idle: number;
}

export const idlePlaces: Adversary = async (size) => {
  const alone = await closing((t) => seating(t, 0));
  const idle = size * (inboundMax + BEYOND);
  const beside = await closing((t) => seating(t, idle));
  return {
    alone: text(alone),
    beside: text(beside),
    attacker: `${beside.idle} of ${inboundMax} places with ${idle} peers`,
    demand: `every newcomer has a place within ${SECONDS_MAX} s, and a useful peer stays`,
    holds: beside.seconds !== undefined && beside.isUsefulThere,
  };
};

async function seating(t: TestEnd, count: number): Promise<Seating> {
  const script = new ChainScript({ seed: 'places' });
  const application = new MemoryApplication(script);
  const network = await startNetwork(t, application, {
    limits: { ...LOOPBACK.limits, inboundMax },
  });
  const useful = await RawPeer.create(t);
  await useful.join(network, application);
  network.peers.get(useful.id)?.reward(10);
  const idle: string[] = [];
  while (idle.length < count) {
    const peer = await RawPeer.create(t);
    await peer.join(network, application).catch(() => undefined);
    idle.push(peer.id);
  }
  const times: (number | undefined)[] = [];
  while (times.length < NEWCOMERS) {
    const honest = await startNetwork(t, new MemoryApplication(script), {
      bootstrap: [network.addresses[0] as string],
    });
    times.push(
      await secondsUntil(() => network.peers.get(honest.peerId) !== undefined, SECONDS_MAX),
    );
  }
  await until(() => network.peers.count('inbound') <= inboundMax, 'no more than the places');
  const admitted = times.filter((time) => time !== undefined);
  return {
    admitted: admitted.length,
    seconds: admitted.length === NEWCOMERS ? Math.max(...admitted) : undefined,
    isUsefulThere: network.peers.get(useful.id) !== undefined,
    idle: idle.filter((id) => network.peers.get(id) !== undefined).length,
  };
}

function text({ admitted, seconds, isUsefulThere }: Seating): string {
  const useful = isUsefulThere ? '' : ', the useful peer is gone';
  const slowest = `the slowest ${took(seconds, SECONDS_MAX)}`;
  return `${admitted} of ${NEWCOMERS} newcomers have a place, ${slowest}${useful}`;
}
