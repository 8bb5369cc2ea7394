/**
 * `send` as a service calls it: JSON-RPC batches of 32 calls over HTTP, to a daemon that is a process of its own, which
 * plans, signs, records on the disk, submits to a node that is another process, and answers. Judged is the processor time
 * of daemon and node together for each call: other programs on the machine change rates and waits, and this hardly.
 * Change goes to a new address each time, as without options, or to few in turn, as the guide for exchanges has it.
 * A daemon that has just started takes longer, while the engine compiles; sizes of 4 and more repeat the loads.
 */
import { addressFromPublicKey, init, WalletRoot } from 'svc-wasm';
import type { BenchOptions, Row } from './harness.ts';
import { SendNetwork } from './wallet-send-network.ts';

const STRANGER = `${'zoo '.repeat(23)}vote`;
const BATCH = 32;
const SMOKE_BATCHES = 1;
/** The largest load: all its payments wait for the next cut. A larger size repeats the loads instead. */
const LOAD_SIZE_MAX = 2;
/** So small that the change pays again, however often the loads are repeated. */
const AMOUNT = '0.001';
/** The processor time that a call may take. */
const MILLIS_ALLOWED = 2;
/** Allowed over used time; the goal is 1. */
const SHARE_MIN = 0.5;

/** As many as the signing kernel keeps matrices of. */
const FEW_ADDRESSES = ['--change-addresses', '4'];
const SETTINGS: readonly (readonly string[])[] = [[], FEW_ADDRESSES];

interface Load {
  readonly name: string;
  readonly batches: number;
  /** Each sends its next batch when the last one was answered. */
  readonly callers: number;
}

const LOADS: readonly Load[] = [
  { name: `batch=${BATCH},callers=1`, batches: 25, callers: 1 },
  { name: `batch=${BATCH},callers=2`, batches: 50, callers: 2 },
];

export async function bench({ size, smoke }: BenchOptions): Promise<readonly Row[]> {
  const loads = LOADS.map((load) => ({
    ...load,
    batches: smoke ? SMOKE_BATCHES : Math.ceil(load.batches * Math.min(LOAD_SIZE_MAX, size)),
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
    await network.split(BATCH * Math.max(...loads.map(({ batches }) => batches)) + 1);
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
  const calls = BATCH * load.batches;
  const before = network.processorTime();
  const ownBefore = process.cpuUsage();
  const { millis, seconds } = await sendAll(network, to, load);
  const own = process.cpuUsage(ownBefore);
  const after = network.processorTime();
  const daemon = (after.daemon - before.daemon) / calls;
  const node = (after.node - before.node) / calls;
  const caller = (own.user + own.system) / 1e3 / calls;
  const at = (share: number): string => `${quantile(millis, share).toFixed(0)} ms`;
  const rate = (calls / seconds).toFixed(0);
  return {
    name: `wallet::send/${load.name}`,
    ours: `${rate} calls a second; a batch ${at(0.5)} median, ${at(0.99)} p99; processor for each call ${daemon.toFixed(2)} ms daemon, ${node.toFixed(2)} ms node, and ${caller.toFixed(2)} ms the callers`,
    peer: `${MILLIS_ALLOWED} ms of daemon and node together`,
    ratio: MILLIS_ALLOWED / (daemon + node),
    limit: SHARE_MIN,
  };
}

async function sendAll(network: SendNetwork, to: string, load: Load) {
  const millis: number[] = [];
  let next = 0;
  const begun = performance.now();
  const caller = async (): Promise<void> => {
    while (next < load.batches) {
      const batch = next++;
      const calls = Array.from({ length: BATCH }, (_, at) => {
        return { to, amount: AMOUNT, request_id: `${load.name}-${batch}-${at}` };
      });
      const sent = performance.now();
      await network.callAll('send', calls);
      millis.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: load.callers }, caller));
  return { millis, seconds: (performance.now() - begun) / 1e3 };
}

/** An address of another wallet: a wallet that pays itself also reads its own payments as deposits. */
function strangerAddress(): string {
  using stranger = WalletRoot.fromMnemonic(STRANGER, '', 'development');
  return addressFromPublicKey(stranger.derivePublicKey(0, 0, 0), 'development');
}

/** The time that a share of all batches stayed below. */
function quantile(millis: readonly number[], share: number): number {
  const sorted = millis.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
