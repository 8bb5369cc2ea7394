/**
 * The crowd of `crowd-campaign.ts`: followers that check what they get, and peers that shake hands and do nothing.
 * Each time that it receives a height it answers with the seconds until every follower has it.
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

for (;;) {
  const [height] = (await once(process, 'message')) as [number];
  const start = performance.now();
  await until(() => applications.every(({ tip }) => tip.height >= height), 'all followers');
  process.send?.((performance.now() - start) / 1_000);
}

/** The node gives a newcomer five seconds to be encrypted, which is short while a hundred come at once: it tries again then. */
async function joinIdle({ identity, tip, holdings }: MemoryApplication): Promise<void> {
  const hello = encodeHello({ identity, tip, holdings, listeningPort: 0, agent: 'idle' });
  const peer = await RawPeer.create(forever);
  for (let tries = 1; ; tries++) {
    try {
      peer.connection = await peer.host.dial(multiaddr(address));
      (await peer.open(HANDSHAKE_PROTOCOL)).send(1, hello);
      return;
    } catch (error) {
      if (tries === DIALS_MAX) throw error;
    }
  }
}
