/**
 * The options of `svc-miner` and what they mean: values are checked here, before anything starts.
 */
import { availableParallelism } from 'node:os';
import { usageError } from 'svc-base/cli';
import type { Bind } from 'svc-base/node';
import { userDatasetFolder } from 'svc-mining/pow';

export interface MinerFlags {
  readonly url?: string[];
  readonly node?: string[];
  readonly user?: string;
  readonly password?: string;
  readonly tag?: string;
  readonly device: string;
  readonly threads?: string;
  readonly datasetDir?: string;
  readonly sharesDir?: string;
  readonly ca?: string;
  readonly explorer?: string;
  readonly statsBind: string;
  readonly metricsBind: string;
  readonly stats: boolean;
  readonly metrics: boolean;
  readonly bench?: boolean;
  readonly listDevices?: boolean;
  readonly network: string;
  readonly seconds: string;
  readonly json?: boolean;
}

/** Which devices mine: threads of the processor, and places in the list of OpenCL devices. */
export interface DeviceChoice {
  readonly cpuThreads: number;
  /** `auto` takes every card that is no processor. */
  readonly cards: 'none' | 'auto' | readonly number[];
}

export const STATS_PORT = 28_770;
export const METRICS_PORT = 28_793;
const THREADS_MAX = 200;
const TAG = /^[A-Za-z0-9 ._/:+@#()!-]{0,20}$/;
const USER = /^[a-z0-9]{8,90}(\.[\x21-\x7e]{1,32})?$/;

/** `auto`, `cpu`, `gpu`, `gpu:0,2`, or several of them joined by `+`. */
export function deviceChoice({ device, threads }: MinerFlags): DeviceChoice {
  let cards: DeviceChoice['cards'] = 'none';
  let usesCpu = false;
  for (const part of device.split('+')) {
    const places = /^gpu:([0-9]{1,3}(?:,[0-9]{1,3})*)$/.exec(part)?.[1];
    if (part === 'auto')
      return { cpuThreads: threads === undefined ? -1 : count(threads), cards: 'auto' };
    if (part === 'cpu') usesCpu = true;
    else if (part === 'gpu') cards = 'auto';
    else if (places !== undefined) cards = [...new Set(places.split(',').map(Number))];
    else throw usageError(`--device ${device}: expected auto, cpu, gpu, gpu:0,1 or cpu+gpu:0`);
  }
  const cpuThreads = usesCpu ? (threads === undefined ? defaultThreads() : count(threads)) : 0;
  return { cpuThreads, cards };
}

/** One processor stays free for the system and for the server of work on this machine. */
export function defaultThreads(): number {
  return Math.max(1, availableParallelism() - 1);
}

function count(text: string): number {
  const value = Number(text);
  if (/^[0-9]{1,3}$/.test(text) && value >= 1 && value <= THREADS_MAX) return value;
  throw usageError(`--threads ${text}: expected 1 to ${THREADS_MAX}`);
}

export function expectUser({ user }: MinerFlags): string {
  if (user === undefined)
    throw usageError(
      '--user is missing',
      'who is paid: --user <address>.<worker>, with an address of your wallet',
    );
  if (!USER.test(user))
    throw usageError(
      `--user ${user}: expected <address>.<worker>, a worker of 1 to 32 characters without spaces`,
    );
  return user;
}

/** The page of the paid address in the explorer that `--explorer` names; null without one. */
export function explorerPage({ explorer }: MinerFlags, username: string): string | null {
  if (explorer === undefined) return null;
  const { protocol, origin, pathname } = URL.canParse(explorer)
    ? new URL(explorer)
    : new URL('none:');
  if (protocol !== 'https:' && protocol !== 'http:')
    throw usageError(
      `--explorer ${explorer}: expected the address of a node's page, such as https://node.example/ui`,
    );
  const [address] = username.split('.');
  return `${origin}${pathname.replace(/\/+$/, '')}/address/${address}`;
}

export function expectTag({ tag }: MinerFlags): string | undefined {
  if (tag === undefined || TAG.test(tag)) return tag;
  throw usageError(`--tag: at most 20 letters, digits, spaces and . _ - / : + @ # ( ) !`);
}

export function expectBind(option: string, text: string): Bind {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[0-9.]+):([0-9]{1,5})$/i.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535)
    throw usageError(`${option} ${text}: expected ADDRESS:PORT, such as 127.0.0.1:${STATS_PORT}`);
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

export function datasetDirectory({ datasetDir }: MinerFlags): string {
  return datasetDir ?? userDatasetFolder();
}
