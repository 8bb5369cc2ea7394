/**
 * The miner of the tab: a worker with the session and the search of `svc-miner`, which reaches the bridge of a
 * development network through the node that served the page. It continues while other screens are shown.
 */
import { signal } from '@preact/signals';
import { TabMiner, type TabMinerEvent } from 'svc-miner/browser';

export interface TabMining {
  readonly address: string;
  /** What it does now. */
  readonly doing: string;
  readonly isStopping: boolean;
  /** Hashes a second over the last ten seconds; undefined until they have passed. */
  readonly rate: number | undefined;
  readonly accepted: number;
  readonly refused: number;
  /** Shares that became blocks of the chain. */
  readonly blocks: number;
  /** Why the server refused a share or left, if it did last. */
  readonly problem: string | undefined;
}

const WORKER_NAME = 'tab';
const TAG = 'tab miner';

/** Undefined while the tab does not mine. */
export const mining = signal<TabMining | undefined>(undefined);

let miner: TabMiner | undefined;

/** Begins to mine for an address; `socket` is the path of the bridge's socket at this node. */
export function startMining(address: string, socket: string): void {
  if (miner !== undefined) return;
  mining.value = {
    address,
    doing: 'starting',
    isStopping: false,
    rate: undefined,
    accepted: 0,
    refused: 0,
    blocks: 0,
    problem: undefined,
  };
  const worker = new Worker(MINER_ADDRESS, { type: 'module' });
  const started = new TabMiner(worker, (event) => {
    if (miner === started && mining.value !== undefined)
      mining.value = afterEvent(mining.value, event);
  });
  miner = started;
  started.start({
    url: location.origin.replace(/^http/, 'ws') + socket,
    username: `${address}.${WORKER_NAME}`,
    tag: TAG,
    kernelUrl: KERNEL_ADDRESS,
  });
}

export async function stopMining(): Promise<void> {
  if (mining.value !== undefined) mining.value = { ...mining.value, isStopping: true };
  await miner?.stop();
  miner = undefined;
  mining.value = undefined;
}

/** What is shown after an event of the worker. */
function afterEvent(before: TabMining, event: TabMinerEvent): TabMining {
  switch (event.type) {
    case 'connecting':
      return { ...before, doing: 'connecting' };
    case 'connected':
      return { ...before, doing: 'waiting for work', problem: undefined };
    case 'preparing':
      return { ...before, doing: `making its dataset, ${Math.floor(event.progress * 100)} %` };
    case 'searching':
      return { ...before, doing: 'searching' };
    case 'disconnected':
      return { ...before, doing: 'connecting again soon', problem: event.reason };
    case 'failed':
      return { ...before, doing: 'failed', problem: event.reason };
    case 'share':
      return {
        ...before,
        accepted: before.accepted + (event.isAccepted ? 1 : 0),
        refused: before.refused + (event.isAccepted ? 0 : 1),
        blocks: before.blocks + (event.block === 'accepted' ? 1 : 0),
        problem: event.isAccepted ? undefined : event.reason,
      };
    case 'statistics':
      return { ...before, rate: event.statistics.hashrate.total[0] ?? undefined };
    case 'message':
      return { ...before, problem: event.text };
    case 'paused':
    case 'stopped':
      return before;
  }
}
