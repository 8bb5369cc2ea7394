/**
 * `svc-miner`: puts source, devices, statistics and lines together and mines until it is stopped.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { emitKeypressEvents } from 'node:readline';
import { CliError, EXIT, note, stopSignal, styled, usageError } from 'svc-base/cli';
import type { Bind, Listening } from 'svc-base/node';
import { messageOf, SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { NONCE_PREFIX_BYTES } from 'svc-mining';
import { chainDatasetFolder } from 'svc-mining/pow';
import { init } from 'svc-wasm';
import { ShareLog, userSharesFolder } from '../audit/share-log.ts';
import { CpuDatasets } from '../cpu/cpu-datasets.ts';
import { lineOf, speedLine } from '../program/lines.ts';
import { startMetrics, startStatistics } from '../program/listeners.ts';
import { Miner } from '../program/miner.ts';
import { Statistics } from '../program/statistics.ts';
import { RELEASE } from '../release.ts';
import { NodeSource } from '../sources/node-source.ts';
import { transportOpener } from '../sources/open-transport.ts';
import { parseServerUrl, type ServerUrl } from '../sources/server-url.ts';
import { StratumSource } from '../sources/stratum-source.ts';
import { chosenCards, cpuThreads, openDevices } from './choose-devices.ts';
import {
  datasetDirectory,
  deviceChoice,
  expectBind,
  expectTag,
  expectUser,
  explorerPage,
  type MinerFlags,
} from './options.ts';

const SPEED_LINE_MILLIS = 60_000;
const PROGRESS_LINE_MILLIS = 5_000;

export async function mine(flags: MinerFlags): Promise<void> {
  const places = placesOf(flags);
  const username = expectUser(flags);
  const tag = expectTag(flags);
  const page = explorerPage(flags, username);
  const choice = deviceChoice(flags);
  const cards = chosenCards(choice);
  const threads = cpuThreads(choice, cards.length);
  const folder = datasetDirectory(flags);
  await init();
  const source = openSource(places, flags, username, tag);
  const datasets =
    threads === 0
      ? undefined
      : new CpuDatasets({
          folder: () => chainDatasetFolder(folder, source.chainId),
          threads,
          clock: SYSTEM_CLOCK,
          log: SILENT_LOG,
        });
  const devices = openDevices(cards, threads, datasets);
  const ports = { source, devices, clock: SYSTEM_CLOCK, log: SILENT_LOG };
  const miner = new Miner(datasets === undefined ? ports : { ...ports, datasets });
  const statistics = new Statistics({
    miner,
    clock: SYSTEM_CLOCK,
    release: RELEASE,
    unanswered: () => source.unanswered,
    page,
  });
  const listeners = await startListeners(flags, statistics);
  const servers = places.nodes.map(({ href }) => href);
  servers.push(...places.servers.map(({ text }) => text));
  summary({ servers, username, tag: tag ?? '', folder, threads, devices, listeners });
  printEvents(miner, statistics);
  keepShares(miner, flags, username);
  miner.start();
  await untilStopped(miner, statistics);
  await miner.close();
  for (const listener of listeners) await listener.close();
}

/** Where work comes from: servers of the mining protocol, or nodes. */
interface Places {
  readonly servers: readonly ServerUrl[];
  readonly nodes: readonly URL[];
}

function placesOf({ url = [], node = [] }: MinerFlags): Places {
  if (url.length === 0 && node.length === 0)
    throw usageError(
      '--url is missing',
      'where work comes from: --url svc+tcp://127.0.0.1:28780 or --node http://127.0.0.1:28702, for instance',
    );
  if (url.length > 0 && node.length > 0)
    throw usageError('--url and --node: work comes from servers or from nodes, not from both');
  const nodes = node.map((text) => {
    const parsed = URL.parse(text);
    if (parsed?.protocol === 'http:' && parsed.pathname === '/') return parsed;
    throw usageError(`--node ${text}: expected a mining listener such as http://127.0.0.1:28702`);
  });
  const servers = url.map((text) => {
    try {
      return parseServerUrl(text);
    } catch (error) {
      throw usageError(`--url ${messageOf(error)}`);
    }
  });
  return { servers, nodes };
}

function openSource(
  { servers, nodes }: Places,
  { password, ca }: MinerFlags,
  username: string,
  tag: string | undefined,
): StratumSource | NodeSource {
  const clock = SYSTEM_CLOCK;
  if (nodes.length > 0) {
    const payout = username.split('.')[0] as string;
    const noncePrefix = new Uint8Array(randomBytes(NONCE_PREFIX_BYTES));
    return new NodeSource({ nodes, payout, tag: tag ?? '', noncePrefix, clock });
  }
  return new StratumSource({
    servers,
    username,
    agent: `svc-miner/${RELEASE}`,
    clock,
    ...(tag === undefined ? {} : { tag }),
    ...(password === undefined ? {} : { password }),
    openTransport: transportOpener(ca === undefined ? {} : { certificateAuthority: readPem(ca) }),
  });
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(EXIT.failed, `--ca ${path}: ${messageOf(error)}`);
  }
}

async function startListeners(flags: MinerFlags, statistics: Statistics): Promise<Listening[]> {
  const open = async (
    option: string,
    text: string,
    start: (bind: Bind, statistics: Statistics) => Promise<Listening>,
  ): Promise<Listening> => {
    try {
      return await start(expectBind(option, text), statistics);
    } catch (error) {
      if (error instanceof CliError) throw error;
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      const reason = isTaken ? 'another program listens there' : messageOf(error);
      throw new CliError(EXIT.failed, `${option} ${text}: ${reason}`, {
        hint: `give another address with ${option}, or leave it out with --no-${option.slice(2).split('-')[0]}`,
      });
    }
  };
  const listeners: Listening[] = [];
  if (flags.stats) listeners.push(await open('--stats-bind', flags.statsBind, startStatistics));
  if (flags.metrics) listeners.push(await open('--metrics-bind', flags.metricsBind, startMetrics));
  return listeners;
}

interface SummaryFacts {
  readonly servers: readonly string[];
  readonly username: string;
  readonly tag: string;
  readonly folder: string;
  readonly threads: number;
  readonly devices: readonly { readonly id: string; readonly name: string }[];
  readonly listeners: readonly Listening[];
}

function summary(facts: SummaryFacts): void {
  const row = (key: string, value: string): void =>
    note(` ${styled('green', '*')} ${styled('bold', key.padEnd(12))} ${value}`);
  const { devices, threads, folder, servers, username, tag, listeners } = facts;
  row('RELEASE', `svc-miner ${RELEASE}, Node ${process.versions.node}, ${process.arch}`);
  const cards = devices.filter(({ id }) => id.startsWith('gpu:'));
  for (const { id, name } of cards) row('CARD', `${id} ${name}`);
  if (threads > 0) row('PROCESSOR', `${threads} threads, ${devices.at(-1)?.name ?? ''}`);
  if (threads > 0) row('DATASET', folder);
  for (const [place, text] of servers.entries()) row(`SERVER #${place + 1}`, text);
  row('PAYOUT', username);
  if (tag !== '') row('TAG', tag);
  for (const { host, port } of listeners) row('LISTENS', `${host}:${port}`);
  if (process.stdin.isTTY) row('COMMANDS', 'h hashrate, p pause, r resume, s shares, q quit');
}

function printEvents(miner: Miner, statistics: Statistics): void {
  const told = new Map<string, number>();
  miner.events.on((event) => {
    if (event.type === 'device' && event.state === 'preparing' && event.progress !== undefined) {
      const now = SYSTEM_CLOCK.monotonic();
      if (event.progress === 0) told.set(event.device, now);
      else if (event.progress < 1 && now - (told.get(event.device) ?? 0) >= PROGRESS_LINE_MILLIS) {
        told.set(event.device, now);
        stamp(`pow    ${event.device} dataset ${Math.floor(event.progress * 100)} %`);
      }
    }
    const line = lineOf(event, statistics);
    if (line !== undefined) stamp(line);
  });
}

/**
 * Acknowledged shares are kept, so that rounds of pools can be compared with them. A disk that fails does not stop
 * the miner.
 */
function keepShares(miner: Miner, { sharesDir }: MinerFlags, username: string): void {
  const log = new ShareLog(sharesDir ?? userSharesFolder());
  const address = username.split('.')[0] as string;
  let isTold = false;
  miner.events.on((event) => {
    if (event.type !== 'answer' || event.counted === undefined) return;
    try {
      log.append(address, event.counted);
    } catch (error) {
      if (!isTold) stamp(`shares are not kept: ${messageOf(error)}`);
      isTold = true;
    }
  });
}

function stamp(line: string): void {
  const time = new Date(SYSTEM_CLOCK.now()).toISOString().slice(0, 19).replace('T', ' ');
  note(`[${time}] ${line}`);
}

/** Resolves at a signal to end or at key `q`. */
function untilStopped(miner: Miner, statistics: Statistics): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const speak = setInterval(() => stamp(speedLine(statistics.document())), SPEED_LINE_MILLIS);
  void stopSignal({ signals: ['SIGINT', 'SIGTERM', 'SIGHUP'] }).then(resolve);
  const keys: Readonly<Record<string, () => void>> = {
    h: () => stamp(speedLine(statistics.document())),
    p: () => miner.pause(),
    r: () => miner.resume(),
    s: () => stamp(sharesLine(statistics)),
    q: () => resolve(),
  };
  const { stdin } = process;
  if (stdin.isTTY) {
    emitKeypressEvents(stdin);
    stdin.setRawMode(true).resume();
    stdin.on('keypress', (_, key: { readonly name?: string; readonly ctrl?: boolean }) => {
      if (key.ctrl === true && key.name === 'c') resolve();
      else keys[key.name ?? '']?.();
    });
  }
  return promise.finally(() => {
    clearInterval(speak);
    if (stdin.isTTY) stdin.setRawMode(false).pause();
  });
}

function sharesLine(statistics: Statistics): string {
  const { shares, blocks } = statistics.document();
  const found = Object.entries(blocks).map(([result, count]) => `${count} ${result}`);
  const refusals = Object.entries(shares.refusals).map(([reason, count]) => `${count} ${reason}`);
  const why = refusals.length === 0 ? '' : ` (${refusals.join(', ')})`;
  return `shares ${shares.accepted} accepted, ${shares.refused} refused${why}, ${shares.unanswered} open; blocks ${found.join(', ') || 'none'}`;
}
