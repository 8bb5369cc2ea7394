/**
 * From the words of the command line to the options of a bridge.
 */

import { parseBind, usageError } from 'svc-base/cli';
import { userDatasetFolder } from 'svc-mining/pow';
import {
  DEFAULT_NODE_URL,
  OFF,
  parseBinds,
  parseDifficulty,
  parseExplorer,
  parseHttpUrl,
  parseOrigin,
  parsePowMode,
  readCertificate,
} from 'svc-mining/server';
import type { BridgeOptions } from './bridge.ts';

export interface BridgeFlags {
  readonly node?: readonly string[];
  readonly listen?: readonly string[];
  readonly listenTls?: readonly string[];
  readonly tlsCertificate?: string;
  readonly tlsKey?: string;
  readonly listenWs?: readonly string[];
  readonly wsOrigin?: readonly string[];
  readonly stats: string;
  readonly explorer?: string;
  readonly metrics: string;
  readonly difficulty: string;
  readonly leastDifficulty: string;
  readonly pow: string;
  readonly dataset?: string;
  readonly log: string;
  readonly json?: boolean;
}

export const DEFAULTS = {
  node: DEFAULT_NODE_URL,
  listen: '127.0.0.1:28780',
  stats: '127.0.0.1:28771',
  metrics: '127.0.0.1:28792',
  difficulty: '1000000',
  leastDifficulty: '1',
} as const;

export function bridgeOptions(flags: BridgeFlags, release: string): BridgeOptions {
  const { node = [DEFAULTS.node], listen = [DEFAULTS.listen] } = flags;
  const { listenTls = [], listenWs = [], wsOrigin = [] } = flags;
  const options = {
    release,
    nodes: node.map((text) => parseHttpUrl(text, '--node', DEFAULTS.node)),
    listen: parseBinds(listen, '--listen'),
    listenTls: parseBinds(listenTls, '--listen-tls'),
    ...(listenTls.length === 0
      ? {}
      : { certificate: readCertificate('--listen-tls', flags.tlsCertificate, flags.tlsKey) }),
    listenWs: parseBinds(listenWs, '--listen-ws'),
    origins: wsOrigin.map(parseOrigin),
    statistics: flags.stats === OFF ? null : parseBind(flags.stats, '--stats'),
    explorer: flags.explorer === undefined ? null : parseExplorer(flags.explorer),
    metrics: flags.metrics === OFF ? null : parseBind(flags.metrics, '--metrics'),
    startDifficulty: parseDifficulty(flags.difficulty, '--difficulty'),
    leastDifficulty: parseDifficulty(flags.leastDifficulty, '--least-difficulty'),
    pow: parsePowMode(flags.pow),
    datasetFolder: flags.dataset ?? userDatasetFolder(),
  };
  if (options.listen.length + options.listenTls.length + options.listenWs.length === 0)
    throw usageError('nothing to listen on: give --listen, --listen-tls or --listen-ws');
  return options;
}
