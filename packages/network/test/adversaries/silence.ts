/**
 * Eight peers that claim a long chain and answer nothing, around a newcomer with one honest peer.
 */
import { type TestEnd, until } from 'svc-base/testing';
import { startNetwork } from '../testing/kit.ts';
import { MemoryApplication } from '../testing/memory-application.ts';
import { ChainScript } from '../testing/script.ts';
import { joinSilentLiar } from '../testing/silent-liar.ts';
import { type Adversary, closing, secondsUntil, took } from './finding.ts';

const LENGTH = 48;
const LIARS = 8;
/** One more peer is asked every half second, so eight that are silent cost four. */
const SECONDS_MAX = 20;

interface Progress {
  readonly headers: number;
  readonly blocks: number;
  readonly cuts: number;
  readonly seconds: number | undefined;
  readonly asked: number;
  readonly left: number;
}

export const silentPeers: Adversary = async (size) => {
  const script = new ChainScript({ seed: 'liars' }).grow(LENGTH);
  const alone = await closing((t) => progress(t, script, 0));
  const beside = await closing((t) => progress(t, script, size * LIARS));
  return {
    alone: text(alone),
    beside: text(beside),
    attacker: `${beside.asked} requests kept, ${beside.left} of ${size * LIARS} still connected`,
    demand: `all cuts within ${SECONDS_MAX} s`,
    holds: beside.seconds !== undefined,
  };
};

async function progress(t: TestEnd, script: ChainScript, liars: number): Promise<Progress> {
  const newcomer = new MemoryApplication(script);
  const network = await startNetwork(t, newcomer);
  const whole = new MemoryApplication(script).adopt();
  const ids: string[] = [];
  let asked = 0;
  while (ids.length < liars)
    ids.push((await joinSilentLiar(t, network, whole, () => void asked++)).id);
  const honest = await startNetwork(t, whole, { bootstrap: [network.addresses[0] as string] });
  await until(() => network.peers.get(honest.peerId) !== undefined, 'the honest peer');
  const seconds = await secondsUntil(() => newcomer.tip.height === LENGTH, SECONDS_MAX);
  return {
    headers: network.sync.bestPeerHeight ?? 0,
    blocks: newcomer.blocks.size,
    cuts: newcomer.tip.height,
    seconds,
    asked,
    left: ids.filter((id) => network.peers.get(id) !== undefined).length,
  };
}

function text({ headers, blocks, cuts, seconds }: Progress): string {
  const counts = `${headers} headers, ${blocks} blocks, ${cuts} cuts of ${LENGTH}`;
  return `${counts} ${took(seconds, SECONDS_MAX)}`;
}
