/**
 * The crowd of `crowd-campaign.ts`: followers that check what they get, and peers that shake hands and do nothing.
 * It is told the last height and answers with the seconds until every follower had it.
 */
import { once } from 'node:events';
import { multiaddr } from '@multiformats/multiaddr';
import { until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { HANDSHAKE_PROTOCOL } from '../../src/handshake/handshake.ts';
import { encodeHello } from '../../src/handshake/hello-bytes.ts';
import { LOOPBACK, startNetwork } from './kit.ts';
import { MemoryApplication } from './memory-application.ts';
import { RawPeer } from './raw-peer.ts';
import { ChainScript } from './script.ts';

const DIALS_MAX = 10;

const [address = '', ...numbers] = process.argv.slice(2);
const [followers = 0, idle = 0, validators = 0, every = 1, waitMillisMax = 0] = numbers.map(Number);
await init();
const forever = { after: () => {} };
const chain = new ChainScript({ seed: 'crowd', validators });
const applications: MemoryApplication[] = [];
for (let index = 0; index < followers; index++) {
  const application = new MemoryApplication(chain);
  applications.push(application);
  await startNetwork(forever, application, {
    bootstrap: [address],
    listenHosts: [],
    limits: { ...LOOPBACK.limits, outboundTarget: 1, inboundMax: 0 },
    certificateSpacing: { cuts: every, waitMillisMax },
  });
}
for (let index = 0; index < idle; index++) await joinIdle(new MemoryApplication(chain));

const [height] = (await once(process, 'message')) as [number];
const start = performance.now();
const haveAll = () => applications.every(({ tip }) => tip.height === height);
await until(haveAll, 'all followers');
process.send?.((performance.now() - start) / 1_000);

async function joinIdle({ identity, tip, holdings }: MemoryApplication): Promise<void> {
  const peer = await RawPeer.create(forever);
  peer.connection = await dialled(peer);
  const stream = await peer.open(HANDSHAKE_PROTOCOL);
  stream.send(1, encodeHello({ identity, tip, holdings, listeningPort: 0, agent: 'idle' }));
}

/** The node gives a newcomer five seconds to be encrypted, which is short while a hundred come at once. */
async function dialled(peer: RawPeer): Promise<RawPeer['connection']> {
  for (let tries = 1; ; tries++) {
    try {
      return await peer.host.dial(multiaddr(address));
    } catch (error) {
      if (tries === DIALS_MAX) throw error;
    }
  }
}
