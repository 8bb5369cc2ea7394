/**
 * From the words of the command line to the options of a bridge. What cannot be understood is said with what was
 * expected.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { messageOf } from 'svc-base/pure';
import { userDatasetFolder } from 'svc-pow';
import type { Bind } from 'svc-stratum';
import type { BridgeOptions } from './bridge.ts';

export interface CommandOptions {
  readonly node: readonly string[];
  readonly listen: readonly string[];
  readonly listenTls: readonly string[];
  readonly tlsCertificate?: string;
  readonly tlsKey?: string;
  readonly listenWs: readonly string[];
  readonly wsOrigin: readonly string[];
  readonly stats: string;
  readonly metrics: string;
  readonly difficulty: string;
  readonly leastDifficulty: string;
  readonly pow: string;
  readonly dataset?: string;
}

/** An option that cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const DEFAULTS = {
  node: 'http://127.0.0.1:28702',
  listen: '127.0.0.1:28780',
  stats: '127.0.0.1:28771',
  metrics: '127.0.0.1:28792',
  difficulty: '1000000',
  leastDifficulty: '1',
} as const;

const OFF = 'off';
const ORIGIN = /^https?:\/\/[A-Za-z0-9.-]+(:[0-9]{1,5})?$/;

export function bridgeOptions(given: CommandOptions, release: string): BridgeOptions {
  const listen = given.listen.filter((each) => each !== OFF);
  const certificate = certificateOf(given);
  const pow = given.pow;
  if (pow !== 'light' && pow !== 'full') throw new UsageError(`--pow: expected light or full`);
  if (listen.length + given.listenTls.length + given.listenWs.length === 0)
    throw new UsageError('nothing to listen on: give --listen, --listen-tls or --listen-ws');
  return {
    release,
    nodes: given.node.map(nodeUrl),
    listen: listen.map((text) => parseBind(text, '--listen')),
    listenTls: given.listenTls.map((text) => parseBind(text, '--listen-tls')),
    ...(certificate === undefined ? {} : { certificate }),
    listenWs: given.listenWs.map((text) => parseBind(text, '--listen-ws')),
    origins: given.wsOrigin.map(expectOrigin),
    statistics: given.stats === OFF ? null : parseBind(given.stats, '--stats'),
    metrics: given.metrics === OFF ? null : parseBind(given.metrics, '--metrics'),
    startDifficulty: parseDifficulty(given.difficulty, '--difficulty'),
    leastDifficulty: parseDifficulty(given.leastDifficulty, '--least-difficulty'),
    pow,
    datasetFolder: given.dataset ?? userDatasetFolder(),
  };
}

export function parseBind(text: string, option: string): Bind {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+)):([0-9]{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host === undefined || isIP(host) === 0 || port > 0xffff)
    throw new UsageError(
      `${option}: expected an address and a port such as 0.0.0.0:28780, found ${text}`,
    );
  return { host, port };
}

function nodeUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' && url.pathname === '/') return url;
  throw new UsageError(`--node: expected an address such as ${DEFAULTS.node}, found ${text}`);
}

function expectOrigin(text: string): string {
  if (text === '*' || ORIGIN.test(text)) return text;
  throw new UsageError(
    `--ws-origin: expected an origin such as https://example.org, found ${text}`,
  );
}

function parseDifficulty(text: string, option: string): bigint {
  if (/^[1-9][0-9]{0,29}$/.test(text)) return BigInt(text);
  throw new UsageError(`${option}: expected a number of hashes, found ${text}`);
}

function certificateOf({ listenTls, tlsCertificate, tlsKey }: CommandOptions) {
  if (listenTls.length === 0) return undefined;
  if (tlsCertificate === undefined || tlsKey === undefined)
    throw new UsageError('--listen-tls needs --tls-certificate and --tls-key');
  try {
    return { cert: readFileSync(tlsCertificate, 'utf8'), key: readFileSync(tlsKey, 'utf8') };
  } catch (error) {
    throw new UsageError(`the certificate cannot be read: ${messageOf(error)}`);
  }
}
