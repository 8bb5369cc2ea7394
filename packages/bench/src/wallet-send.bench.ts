/**
 * `send` as a service calls it: over HTTP, to a daemon that is a process of its own, which plans, signs, records
 * on the disk, submits to a node that is another process, and answers. Callers wait for their answers, some at a time, or
 * call at a fixed rate. Judged is the processor time of daemon and node together: what others do with the machine
 * meanwhile changes rates and waits, and this hardly. What the callers take of the same two processors is told beside it.
 * Change goes to a new address each time, as without options, or to few in turn, as the guide for exchanges has it.
 * A daemon that has just started takes longer, while the engine compiles; sizes of 4 and more repeat the loads.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { addressFromPublicKey, init, WalletRoot } from 'svc-wasm';
import type { BenchOptions, Row } from './harness.ts';
import { SendNetwork } from './wallet-send-network.ts';

const STRANGER = `${'zoo '.repeat(23)}vote`;
const SMOKE_CALLS = 6;
/** Of a load: its payments all wait together for the next cut. A larger size repeats the loads instead. */
const LOAD_SIZE_MAX = 2;
/** So little that the change pays again, however often the loads are repeated. */
const AMOUNT = '0.001';
/** Two processors that do nothing else serve a thousand calls a second with this much for each. */
const MILLIS_ALLOWED = 2;
/** Allowed over used; the wish is 1. */
const SHARE_MIN = 0.25;

/** As many as the signing kernel keeps matrices of. */
const FEW_ADDRESSES = ['--change-addresses', '4'];
const SETTINGS: readonly (readonly string[])[] = [[], FEW_ADDRESSES];

interface Load {
  readonly name: string;
  readonly calls: number;
  readonly callers: number;
  /** Calls that begin in a second; as many as there are answers without. */
  readonly perSecond?: number;
}

const LOADS: readonly Load[] = [
  { name: 'callers=8', calls: 400, callers: 8 },
  { name: 'callers=32', calls: 1_600, callers: 32 },
  { name: 'calls_a_second=200', calls: 800, callers: 64, perSecond: 200 },
];

export async function bench({ size, smoke }: BenchOptions): Promise<readonly Row[]> {
  const loads = LOADS.map((load) => ({
    ...load,
    calls: smoke ? SMOKE_CALLS : Math.ceil(load.calls * Math.min(LOAD_SIZE_MAX, size)),
  }));
  const rounds = Math.max(1, Math.floor(size / LOAD_SIZE_MAX));
  await init();
  const rows: Row[] = [];
  for (const words of SETTINGS) rows.push(...(await measureDaemon(words, loads, rounds)));
  return rows;
}

/** What a daemon with these words takes for each load. */
async function measureDaemon(
  words: readonly string[],
  loads: readonly Load[],
  rounds: number,
): Promise<readonly Row[]> {
  const network = await SendNetwork.start(words);
  try {
    await network.split(Math.max(...loads.map(({ calls }) => calls)) + 1);
    const to = strangerAddress();
    const rows: Row[] = [];
    for (let round = 1; round <= rounds; round++) {
      for (const load of loads) {
        const setting = words.length === 0 ? '' : ',few_change_addresses';
        const name = `${load.name}${setting}${rounds === 1 ? '' : `,round=${round}`}`;
        rows.push(await measure(network, to, { ...load, name }));
        await network.settled();
      }
    }
    return rows;
  } finally {
    await network.close();
  }
}

async function measure(network: SendNetwork, to: string, load: Load): Promise<Row> {
  const before = network.processorTime();
  const ownBefore = process.cpuUsage();
  const { millis, seconds } = await sendAll(network, to, load);
  const own = process.cpuUsage(ownBefore);
  const after = network.processorTime();
  const daemon = (after.daemon - before.daemon) / load.calls;
  const node = (after.node - before.node) / load.calls;
  const caller = (own.user + own.system) / 1e3 / load.calls;
  const at = (share: number): string => `${quantile(millis, share).toFixed(0)} ms`;
  const rate = (load.calls / seconds).toFixed(0);
  return {
    name: `wallet::send/${load.name}`,
    ours: `${rate} calls a second; ${at(0.5)} median, ${at(0.99)} p99; processor for each ${daemon.toFixed(2)} ms daemon, ${node.toFixed(2)} ms node, and ${caller.toFixed(2)} ms the callers`,
    peer: `${MILLIS_ALLOWED} ms together would be 1,000 a second on two processors`,
    ratio: MILLIS_ALLOWED / (daemon + node),
    limit: SHARE_MIN,
  };
}

/** Calls; the time of a call that was due before a caller was free counts from when it was due. */
async function sendAll(network: SendNetwork, to: string, load: Load) {
  const millis: number[] = [];
  let next = 0;
  const begun = performance.now();
  const caller = async (): Promise<void> => {
    while (next < load.calls) {
      const number = next++;
      const due =
        load.perSecond === undefined ? performance.now() : begun + (1e3 * number) / load.perSecond;
      if (load.perSecond !== undefined) await sleep(Math.max(0, due - performance.now()));
      await network.call('send', { to, amount: AMOUNT, request_id: `${load.name}-${number}` });
      millis.push(performance.now() - due);
    }
  };
  await Promise.all(Array.from({ length: load.callers }, caller));
  return { millis, seconds: (performance.now() - begun) / 1e3 };
}

/** An address of somebody else: a wallet that pays itself also hears of what it gets. */
function strangerAddress(): string {
  using stranger = WalletRoot.fromMnemonic(STRANGER, '', 'development');
  return addressFromPublicKey(stranger.derivePublicKey(0, 0, 0), 'development');
}

/** The time that a share of all calls stayed below. */
function quantile(millis: readonly number[], share: number): number {
  const sorted = millis.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
