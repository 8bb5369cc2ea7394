/**
 * One bridge with ten thousand miners: how long after a cut until nearly all and all of them have the new job, while they
 * send two thousand shares a second, and how long the answers to those take. The bridge, the miners and the node are
 * processes of their own; the node is a stand-in whose templates cost nothing. `--size 0.1` has a thousand miners.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { encodeMessage, NotifyEncoder, type Protocol, targetOf } from 'svc-mining';
import { StubNode } from 'svc-mining/testing';
import { init } from 'svc-wasm';
import { encodeAddress } from 'svc-wasm/base';
import { endWithThisProcess } from './companions.ts';
import { type BenchOptions, formatTime, type Row } from './harness.ts';
import type { FanoutOrder, FanoutReport, FanoutTask } from './mining-fanout-clients.ts';
import { BareWrites } from './mining-fanout-writes.ts';

const PROGRAM = fileURLToPath(new URL('../../bridge/bin/svc-bridge.js', import.meta.url));
const CLIENTS = 10_000;
const SMOKE_CLIENTS = 20;
/** Miners of one payout address share a template. */
const CLIENTS_AN_ADDRESS = 100;
/** One share in five seconds of each miner. */
const SHARES_A_CLIENT_SECOND = 0.2;
const CUTS = 10;
const CUT_MILLIS = 2_500;
/** Cuts before those that count: a bridge runs for months, and the engine compiles in its first minute. */
const WARM_UP_CUTS = 10;
const WARM_UP_CUT_MILLIS = 500;
const FANOUT_MILLIS_MAX = 250;
/** Sockets and files beside the connections. */
const OTHER_FILES = 200;
/** A hash in four billion would be a block; every hash is a share. */
const BLOCK_TARGET = '00'.repeat(4) + 'ff'.repeat(28);
/** The part of the bridge's time for a miner that bare writes must make up; the rest is templates, shares and bookkeeping. */
const BESIDE_WRITES = 0.25;
const PROTOCOLS = ['svc-mining-v1', 'svc-mining-v2'] as const;

type Delivered = FanoutReport & { readonly type: 'delivered' };
type Rested = FanoutReport & { readonly type: 'rested' };

/**
 * One cut: milliseconds until half, 99 of 100 and all miners had the job, processor time of the bridge meanwhile, and that of
 * bare writes to as many sockets right after.
 */
interface Fanout {
  readonly half: number;
  readonly most: number;
  readonly all: number;
  readonly processor: number;
  readonly bare: number;
}

/** A bridge and a process full of its miners. */
class Hall {
  readonly node: StubNode;
  readonly #bridge: ChildProcess;
  readonly #clients: ChildProcess;
  readonly #gone: Promise<undefined>;

  private constructor(node: StubNode, bridge: ChildProcess) {
    this.node = node;
    this.#bridge = bridge;
    this.#clients = fork(new URL('./mining-fanout-clients.ts', import.meta.url));
    this.#gone = once(this.#clients, 'exit').then(() => undefined);
  }

  static async open(clients: number, folder: string): Promise<Hall> {
    const node = await new StubNode({ target: BLOCK_TARGET }).start();
    const words = [
      ...['--node', node.url.href, '--listen', '127.0.0.1:0', '--stats', 'off', '--metrics', 'off'],
      ...['--difficulty', '1', '--dataset', folder, '--log', 'error'],
    ];
    const bridge = spawn(process.execPath, [PROGRAM, ...words], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    endWithThisProcess(bridge);
    const [line] = (await once(bridge.stdout.setEncoding('utf8'), 'data')) as [string];
    const { listen } = JSON.parse(line) as { readonly listen: readonly string[] };
    const hall = new Hall(node, bridge);
    const connected = hall.#report('connected');
    hall.#clients.send({
      port: Number(listen[0]?.split(':').at(-1)),
      clients,
      addresses: Array.from({ length: Math.ceil(clients / CLIENTS_AN_ADDRESS) }, addressOf),
      sharesPerSecond: clients * SHARES_A_CLIENT_SECOND,
    } satisfies FanoutTask);
    try {
      await connected;
    } catch (error) {
      await hall.close();
      throw error;
    }
    return hall;
  }

  /** Megabytes that the bridge has in memory. */
  get memory(): number {
    const text = readFileSync(`/proc/${this.#bridge.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+([0-9]+)/.exec(text)?.[1]) / 1_024;
  }

  /** Processor time of the bridge's first thread, which serves the miners, in seconds. */
  get processorSeconds(): number {
    const text = readFileSync(`/proc/${this.#bridge.pid}/schedstat`, 'utf8');
    return Number(text.split(' ')[0]) / 1e9;
  }

  order(type: FanoutOrder['type']): void {
    this.#clients.send({ type } satisfies FanoutOrder);
  }

  async cut(): Promise<Omit<Fanout, 'bare'>> {
    const delivered = this.#report('delivered');
    const processor = this.processorSeconds;
    const began = process.hrtime.bigint();
    this.node.cut();
    const { half, most, all } = (await delivered) as Delivered;
    const since = (at: string): number => Number(BigInt(at) - began) / 1e6;
    return {
      half: since(half),
      most: since(most),
      all: since(all),
      processor: 1_000 * (this.processorSeconds - processor),
    };
  }

  async rest(): Promise<Rested> {
    const rested = this.#report('rested');
    this.order('rest');
    return (await rested) as Rested;
  }

  async close(): Promise<void> {
    if (this.#clients.connected) this.#clients.disconnect();
    this.#bridge.kill();
    await once(this.#bridge, 'close');
    await this.node.stop();
  }

  async #report(type: FanoutReport['type']): Promise<FanoutReport> {
    for (;;) {
      const message = once(this.#clients, 'message').then(([report]) => report as FanoutReport);
      const report = await Promise.race([message, this.#gone]);
      if (report === undefined) throw new Error('the miners are gone');
      if (report.type === type) return report;
    }
  }
}

function addressOf(_: unknown, number: number): string {
  const bytes = new Uint8Array(49);
  new DataView(bytes.buffer).setUint32(1, number);
  return encodeAddress(bytes, 'development');
}

/** Every miner is a socket of the bridge and one of the process that has the miners. */
function expectFiles(clients: number): void {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const most = Number(/Max open files\s+[0-9]+\s+([0-9]+)/.exec(limits)?.[1]);
  if (clients + OTHER_FILES > most)
    throw new Error(
      `${clients} connections need ulimit -n ${clients + OTHER_FILES}, which is ${most}; --size 0.1 needs fewer`,
    );
}

function placeOf(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.trunc(sorted.length * part))] ?? Number.NaN;
}

async function hallRows(clients: number, cuts: number, options: BenchOptions): Promise<Row[]> {
  const { fanouts, shares } = await measureHall(clients, cuts, options);
  return [...fanoutRows(clients, fanouts), writesRow(clients, fanouts), shares];
}

async function measureHall(clients: number, cuts: number, options: BenchOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const opened = performance.now();
  const hall = await Hall.open(clients, folder);
  try {
    const openSeconds = (performance.now() - opened) / 1_000;
    using writes = await BareWrites.open(sampleMessages(), clients);
    hall.order('mine');
    const mined = performance.now();
    for (let cut = 0; cut < (options.smoke ? 0 : WARM_UP_CUTS); cut++) {
      await sleep(WARM_UP_CUT_MILLIS);
      await hall.cut();
      await writes.round();
    }
    const [began, processor] = [performance.now(), hall.processorSeconds];
    const fanouts: Fanout[] = [];
    for (let cut = 0; cut < cuts; cut++) {
      await sleep(options.smoke ? 100 : CUT_MILLIS);
      fanouts.push({ ...(await hall.cut()), bare: await writes.round() });
    }
    const busySeconds = (performance.now() - began) / 1_000;
    const memory = hall.memory;
    const busy = (100 * (hall.processorSeconds - processor)) / busySeconds;
    const seconds = (performance.now() - mined) / 1_000;
    const rested = await hall.rest();
    process.stdout.write(
      `mining-fanout: ${clients} connected in ${openSeconds.toFixed(1)} s; the bridge has ${memory.toFixed(0)} MiB and ` +
        `its thread is busy for ${busy.toFixed(0)} % of the time\n`,
    );
    return { fanouts, shares: sharesRow(clients, rested, seconds) };
  } finally {
    await hall.close();
    rmSync(folder, { recursive: true });
  }
}

/** The least of all cuts counts, as for other times: the machine may be busy with others. */
function fanoutRows(clients: number, fanouts: readonly Fanout[]): Row[] {
  const sorted = (part: keyof Fanout) =>
    fanouts.map((fanout) => fanout[part]).toSorted((a, b) => a - b);
  const text = (part: keyof Fanout): string => {
    const [least, median, most] = [0, 0.5, 1].map((at) => placeOf(sorted(part), at).toFixed(0));
    return `${least} to ${most} ms, median ${median}`;
  };
  const peer = `${FANOUT_MILLIS_MAX} ms allowed`;
  return [
    {
      name: `mining-fanout: time from a cut until ${clients} miners have the job`,
      ours: `half ${text('half')}; 99 of 100 ${text('most')}; all ${text('all')}`,
      peer,
      ratio: FANOUT_MILLIS_MAX / placeOf(sorted('all'), 0),
      limit: 1,
    },
    {
      name: `mining-fanout: processor time of the bridge for the jobs of ${clients} miners, shares meanwhile included`,
      ours: text('processor'),
      peer,
      ratio: FANOUT_MILLIS_MAX / placeOf(sorted('processor'), 0),
      limit: 1,
    },
  ];
}

function sharesRow(clients: number, rested: Rested, seconds: number): Row {
  const { sent, accepted, refused, latencies } = rested;
  const [half, most] = [placeOf(latencies, 0.5), placeOf(latencies, 0.99)];
  const wanted = clients * SHARES_A_CLIENT_SECOND;
  return {
    name: `mining-fanout: shares of ${clients} miners that are answered meanwhile`,
    ours:
      `${(accepted / seconds).toFixed(0)} a second accepted of ${(sent / seconds).toFixed(0)} sent, ${refused} refused; ` +
      `answered in ${half.toFixed(1)} ms median, ${most.toFixed(1)} ms p99`,
    peer: `${wanted.toFixed(0)} a second wanted`,
    ratio: accepted / seconds / wanted,
    limit: 0.95,
  };
}

/** The processor time of a job for a miner beside that of a bare `socket.write` of the same bytes to as many sockets. */
function writesRow(clients: number, fanouts: readonly Fanout[]): Row {
  const [ours, bare] = (['processor', 'bare'] as const).map((part) =>
    Math.min(...fanouts.map((fanout) => fanout[part])),
  ) as [number, number];
  const each = (millis: number): string => formatTime((1e6 * millis) / clients);
  return {
    name: `mining-fanout: processor time of a job for each of ${clients} miners beside bare writes`,
    ours: `${each(ours)} (template, job, write, shares meanwhile)`,
    peer: `${each(bare)} (socket.write)`,
    ratio: bare / ours,
    limit: BESIDE_WRITES,
  };
}

function sampleMessages(): Uint8Array[] {
  return PROTOCOLS.map((protocol) =>
    encodeMessage({ ...SAMPLE, shareTarget: targetOf(1_000n) }, protocol),
  );
}

const SAMPLE = {
  type: 'notify',
  job: 1,
  header: new Uint8Array(312).fill(7),
  blockTarget: targetOf(1n << 40n),
  height: 100_040,
  anchorHeight: 100_000,
  expiresHeight: 100_096,
  period: 2,
  isClean: false,
} as const;

/** Miners of one address whose share targets differ: what their messages cost, for as many as a cut has to reach. */
function encodingRow(protocol: Protocol, options: BenchOptions): Row {
  const rounds = options.smoke ? 1 : Math.ceil(2_000 * options.size);
  const targets = Array.from({ length: CLIENTS_AN_ADDRESS }, (_, more) =>
    targetOf(1_000n + BigInt(more)),
  );
  const wanted = CLIENTS / (FANOUT_MILLIS_MAX / 1_000);
  const before = process.threadCpuUsage();
  for (let job = 0; job < rounds; job++) {
    const encoder = new NotifyEncoder({ ...SAMPLE, job }, protocol);
    for (const target of targets) encoder.encode(target);
  }
  const { user, system } = process.threadCpuUsage(before);
  const each = (1_000 * (user + system)) / (rounds * targets.length);
  return {
    name: `mining-fanout: jobs in ${protocol} encoded in a second, each with a target of its own`,
    ours: `${(1e9 / each).toFixed(0)} a second, ${formatTime(each)} each`,
    peer: `${wanted} a second wanted`,
    ratio: 1e9 / each / wanted,
    limit: 1,
  };
}

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  const clients = options.smoke ? SMOKE_CLIENTS : Math.ceil(CLIENTS * Math.min(1, options.size));
  expectFiles(clients);
  const encoding = PROTOCOLS.map((protocol) => encodingRow(protocol, options));
  return [...(await hallRows(clients, options.smoke ? 2 : CUTS, options)), ...encoding];
}
