/**
 * Announces ids of nothing, 64 kB of them a second, while an honest peer has payments and blocks to announce.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type TestEnd, until } from 'svc-base/testing';
import { RELAY_PROTOCOL } from '../../src/relay/relay.ts';
import { RELAY } from '../../src/relay/relay-bytes.ts';
import { type Flood, flood } from '../testing/flooding.ts';
import { startNetwork } from '../testing/kit.ts';
import { MemoryApplication } from '../testing/memory-application.ts';
import { RawPeer } from '../testing/raw-peer.ts';
import { ChainScript, payment } from '../testing/script.ts';
import { type Adversary, closing, secondsUntil, took } from './finding.ts';

const COUNT = 60;
/** The flood is in full swing before anything honest is announced. */
const LEAD_MILLIS = 5_000;
const SECONDS_MAX = 60;

interface Arrivals {
  readonly payments: number;
  readonly blocks: number;
  /** Undefined if not everything came. */
  readonly seconds: number | undefined;
  readonly isFetched: boolean;
  readonly announced: number;
}

export const floodOfIds: Adversary = async (size) => {
  const alone = await closing((t) => arrivals(t, 0));
  const beside = await closing((t) => arrivals(t, size));
  return {
    alone: text(alone),
    beside: text(beside),
    attacker: `${beside.announced} ids announced over ${size} connections`,
    demand: `all payments and blocks within ${SECONDS_MAX} s, and a block that is asked for`,
    holds: beside.seconds !== undefined && beside.isFetched,
  };
};

async function arrivals(t: TestEnd, flooders: number): Promise<Arrivals> {
  const script = new ChainScript({ seed: 'flood' });
  const application = new MemoryApplication(script);
  const network = await startNetwork(t, application);
  const floods: Flood[] = [];
  while (floods.length < flooders) {
    const flooder = await RawPeer.create(t);
    await flooder.join(network, application);
    const stream = await flooder.open(RELAY_PROTOCOL);
    floods.push(flood(t, stream));
    const isAsked = () => stream.frames.some(({ kind }) => kind === RELAY.getTransactions);
    await until(isAsked, 'the node to ask for nothing');
  }
  if (flooders > 0) await pause(LEAD_MILLIS);
  const honest = new MemoryApplication(script);
  const payments = Array.from({ length: COUNT }, (_, at) => payment(script.manifest, `p ${at}`));
  const blocks = payments.map((one, at) => script.block(`b ${at}`, [one]));
  const unannounced = script.block('unannounced', payments.slice(0, 2));
  honest.blocks.set(unannounced.id, unannounced);
  const peer = await startNetwork(t, honest, { bootstrap: [network.addresses[0] as string] });
  await until(() => network.peers.get(peer.peerId) !== undefined, 'the honest peer');
  for (const { wire } of payments) await honest.submitTransaction(wire);
  for (const block of blocks) honest.addBlock(block);
  const arrived = (): number => blocks.filter(({ id }) => application.hasBlock(id)).length;
  const known = (): number => payments.filter(({ id }) => application.hasTransaction(id)).length;
  const seconds = await secondsUntil(() => known() + arrived() === 2 * COUNT, SECONDS_MAX);
  const fetched = await network.relay.fetchBlocks([unannounced.id], SECONDS_MAX * 1_000);
  return {
    payments: known(),
    blocks: arrived(),
    seconds,
    isFetched: fetched.length === 1,
    announced: floods.reduce((sum, { announced }) => sum + announced, 0),
  };
}

function text({ payments, blocks, seconds, isFetched }: Arrivals): string {
  const fetched = isFetched ? '' : ', no block that was asked for';
  return `${payments} and ${blocks} of ${COUNT} payments and blocks ${took(seconds, SECONDS_MAX)}${fetched}`;
}
