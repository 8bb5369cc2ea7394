/**
 * From the words of the command line to the options of a pool.
 */
import { readFileSync } from 'node:fs';
import { parseBind, usageError } from 'svc-base/cli';
import { messageOf } from 'svc-base/pure';
import { userDatasetFolder } from 'svc-mining/pow';
import {
  DEFAULT_NODE_URL,
  type ListenersOptions,
  OFF,
  parseBinds,
  parseDifficulty,
  parseExplorer,
  parseHttpUrl,
  parseOrigin,
  parsePowMode,
  readCertificate,
} from 'svc-mining/server';
import { parseAmount } from 'svc-wasm';
import { isRefusal } from 'svc-wasm/base';
import { expectMinerTag } from 'svc-wasm/protocol';
import type { PoolOptions, WalletOptions } from './pool.ts';

export interface PoolFlags {
  readonly node?: readonly string[];
  readonly api: string;
  readonly address?: string;
  readonly name: string;
  readonly pplnsListen?: readonly string[];
  readonly pplnsListenTls?: readonly string[];
  readonly pplnsListenWs?: readonly string[];
  readonly soloListen?: readonly string[];
  readonly soloListenTls?: readonly string[];
  readonly soloListenWs?: readonly string[];
  readonly tlsCertificate?: string;
  readonly tlsKey?: string;
  readonly wsOrigin?: readonly string[];
  readonly webListen: string;
  readonly metrics: boolean;
  readonly explorer?: string;
  readonly database: string;
  readonly fee: string;
  readonly window: string;
  readonly wallet: string;
  readonly walletTokenFile?: string;
  readonly payoutThreshold: string;
  readonly payoutInterval: string;
  readonly difficulty: string;
  readonly leastDifficulty: string;
  readonly pow: string;
  readonly dataset?: string;
  readonly log: string;
  readonly json?: boolean;
}

export const DEFAULTS = {
  node: DEFAULT_NODE_URL,
  api: 'http://127.0.0.1:28701',
  name: 'svc-pool',
  pplnsListen: '127.0.0.1:28781',
  webListen: '127.0.0.1:28772',
  database: 'pool.db',
  fee: '1',
  window: '1000',
  wallet: 'http://127.0.0.1:28703',
  payoutThreshold: '1',
  payoutInterval: '600',
  difficulty: '1000000',
  leastDifficulty: '1',
} as const;

/** Below it the fee of a payment could eat what is paid. */
const THRESHOLD_ATOMS_MIN = 1_000_000n;
const INTERVAL_SECONDS_MAX = 604_800;
const WINDOW_BLOCKS_MAX = 1_000_000;

export function poolOptions(flags: PoolFlags, release: string): PoolOptions {
  const { node = [DEFAULTS.node] } = flags;
  if (flags.address === undefined)
    throw usageError('--address is missing: an address of the wallet that pays the miners');
  const pplns = listenersOf(flags, 'pplns');
  const solo = listenersOf(flags, 'solo');
  if (
    [pplns, solo].every(
      ({ listen, listenTls, listenWs }) => listen.length + listenTls.length + listenWs.length === 0,
    )
  )
    throw usageError('nothing to listen on: give --pplns-listen or --solo-listen');
  return {
    release,
    name: expectName(flags.name),
    address: flags.address.toLowerCase(),
    nodes: node.map((text) => parseHttpUrl(text, '--node', DEFAULTS.node)),
    api: parseHttpUrl(flags.api, '--api', DEFAULTS.api),
    pplns,
    solo,
    web: flags.webListen === OFF ? null : parseBind(flags.webListen, '--web-listen'),
    hasMetrics: flags.metrics,
    explorer: flags.explorer === undefined ? null : parseExplorer(flags.explorer),
    database: flags.database,
    feeBasisPoints: parseFee(flags.fee),
    windowBlocks: BigInt(parseWhole(flags.window, '--window', WINDOW_BLOCKS_MAX)),
    startDifficulty: parseDifficulty(flags.difficulty, '--difficulty'),
    leastDifficulty: parseDifficulty(flags.leastDifficulty, '--least-difficulty'),
    wallet: walletOf(flags),
    payouts: {
      threshold: parseThreshold(flags.payoutThreshold),
      intervalMillis:
        1_000 * parseWhole(flags.payoutInterval, '--payout-interval', INTERVAL_SECONDS_MAX),
    },
    pow: parsePowMode(flags.pow),
    datasetFolder: flags.dataset ?? userDatasetFolder(),
  };
}

function listenersOf(flags: PoolFlags, mode: 'pplns' | 'solo'): ListenersOptions {
  const { pplnsListen = [DEFAULTS.pplnsListen], soloListen = [] } = flags;
  const [listen, listenTls = [], listenWs = []] =
    mode === 'pplns'
      ? [pplnsListen, flags.pplnsListenTls, flags.pplnsListenWs]
      : [soloListen, flags.soloListenTls, flags.soloListenWs];
  const option = `--${mode}-listen`;
  return {
    listen: parseBinds(listen, option),
    listenTls: parseBinds(listenTls, `${option}-tls`),
    ...(listenTls.length === 0
      ? {}
      : { certificate: readCertificate(`${option}-tls`, flags.tlsCertificate, flags.tlsKey) }),
    listenWs: parseBinds(listenWs, `${option}-ws`),
    origins: (flags.wsOrigin ?? []).map(parseOrigin),
  };
}

function walletOf({ wallet, walletTokenFile }: PoolFlags): WalletOptions | undefined {
  if (wallet === OFF) return undefined;
  const url = parseHttpUrl(wallet, '--wallet', DEFAULTS.wallet);
  if (walletTokenFile === undefined)
    throw usageError('--wallet-token-file is missing; `--wallet off` for a pool without payouts');
  try {
    return { url, token: readFileSync(walletTokenFile, 'utf8').trim() };
  } catch (error) {
    throw usageError(`--wallet-token-file: ${messageOf(error)}`);
  }
}

function expectName(name: string): string {
  try {
    expectMinerTag(name);
    return name;
  } catch (error) {
    if (isRefusal(error)) throw usageError(`--name: ${error.message}`);
    throw error;
  }
}

/** Percent with up to two decimals, as basis points. */
function parseFee(text: string): bigint {
  const [, whole = '', decimals = ''] = /^([0-9]{1,3})(?:\.([0-9]{1,2}))?$/.exec(text) ?? [];
  const basisPoints = whole === '' ? -1n : BigInt(`${whole}${decimals.padEnd(2, '0')}`);
  if (basisPoints >= 0n && basisPoints <= 10_000n) return basisPoints;
  throw usageError(`--fee: expected percent such as 1 or 0.5, found ${text}`);
}

function parseThreshold(text: string): bigint {
  const expected = `--payout-threshold: expected coins from 0.01 on, found ${text}`;
  let atoms: bigint;
  try {
    atoms = BigInt(parseAmount(text));
  } catch (error) {
    if (isRefusal(error)) throw usageError(expected);
    throw error;
  }
  if (atoms < THRESHOLD_ATOMS_MIN) throw usageError(expected);
  return atoms;
}

function parseWhole(text: string, option: string, most: number): number {
  const value = Number(text);
  if (/^[1-9][0-9]{0,6}$/.test(text) && value <= most) return value;
  throw usageError(`${option}: expected a whole number from 1 to ${most}, found ${text}`);
}
