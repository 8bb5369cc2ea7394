/**
 * The script of a worker that mines in a page: the session of `svc-miner` over WebSocket and the kernel's search, one
 * thread a worker. It is started by `TabMiner`; a page that wants more threads starts more workers, each of which has
 * a session of its own. A worker serves one `start`.
 */
import { messageOf, SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { init } from 'svc-wasm';
import { Miner } from '../program/miner.ts';
import { Statistics } from '../program/statistics.ts';
import { parseServerUrl } from '../sources/server-url.ts';
import { StratumSource } from '../sources/stratum-source.ts';
import { openWebSocket } from '../sources/web-socket.ts';
import { KernelDevice } from './kernel-device.ts';
import type { TabMinerEvent, TabMinerOptions, TabMinerOrder } from './tab-messages.ts';

declare function postMessage(event: TabMinerEvent): void;

const AGENT = 'svc-tab-miner/1';
const STATISTICS_MILLIS = 1_000;
const clock = SYSTEM_CLOCK;
let miner: Miner | undefined;
let stopTelling: () => void = () => {};

addEventListener('message', (event) => {
  const order = (event as MessageEvent<TabMinerOrder>).data;
  obey(order).catch((error: unknown) => postMessage({ type: 'failed', reason: messageOf(error) }));
});

async function obey(order: TabMinerOrder): Promise<void> {
  if (order.type === 'start') return start(order.options);
  if (order.type === 'pause') miner?.pause();
  if (order.type === 'resume') miner?.resume();
  if (order.type !== 'stop') return;
  stopTelling();
  await miner?.close();
  postMessage({ type: 'stopped' });
}

async function start({ url, username, tag, kernelUrl }: TabMinerOptions): Promise<void> {
  if (miner !== undefined) throw new Error('this worker mines already');
  const server = parseServerUrl(url);
  if (server.transport !== 'ws') throw new TypeError(`${url}: a page mines over ws:// or wss://`);
  // The entry that bundlers take for browsers knows the option; the one for Node has nothing to fetch.
  const kernel: object = kernelUrl === undefined ? {} : { url: kernelUrl };
  await init(kernel);
  const source = new StratumSource({
    servers: [server],
    agent: AGENT,
    username,
    clock,
    openTransport: openWebSocket,
    ...(tag === undefined ? {} : { tag }),
  });
  const started = new Miner({ source, devices: [new KernelDevice()], clock, log: SILENT_LOG });
  miner = started;
  const unanswered = () => source.unanswered;
  const statistics = new Statistics({ miner: started, clock, release: AGENT, unanswered });
  started.events.on((event) => {
    const told = eventFor(event);
    if (told !== undefined) postMessage(told);
  });
  tellStatistics(statistics);
  started.start();
}

function tellStatistics(statistics: Statistics): void {
  postMessage({ type: 'statistics', statistics: statistics.document() });
  stopTelling = clock.after(STATISTICS_MILLIS, () => tellStatistics(statistics));
}

type MinerEvent = Parameters<Parameters<Miner['events']['on']>[0]>[0];

function eventFor(event: MinerEvent): TabMinerEvent | undefined {
  switch (event.type) {
    case 'connecting':
      return { type: 'connecting', server: event.server };
    case 'open':
      return { type: 'connected', server: event.server };
    case 'lost':
      return { type: 'disconnected', reason: event.reason, retryMillis: event.retryMillis };
    case 'answer': {
      const reason = event.message ?? event.refusal;
      return {
        type: 'share',
        isAccepted: event.isAccepted,
        ...(reason === undefined ? {} : { reason }),
        ...(event.block === undefined ? {} : { block: event.block }),
      };
    }
    case 'show':
      return { type: 'message', text: event.text };
    case 'device': {
      const { state, progress = 0, reason = 'the device failed' } = event;
      if (state === 'preparing') return { type: 'preparing', progress };
      if (state === 'failed') return { type: 'failed', reason };
      return state === 'waiting' ? undefined : { type: state };
    }
    default:
      return undefined;
  }
}
