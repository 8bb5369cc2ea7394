/** The daemon as a process: from its options to its end. */
import { rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { pino } from 'pino';
import { FLOAT_COINS_MAX } from 'svc-api/rpc';
import { EXIT, note, result, stopSignal as signalled } from 'svc-base/cli';
import type { Log, LogFields } from 'svc-base/pure';
import { init, parseAddress } from 'svc-wasm';
import {
  type Bind,
  DAEMON_PORT,
  type DaemonOptions,
  METRICS_PORT,
  openDaemon,
  type RunningDaemon,
} from '../../daemon/open-daemon.ts';
import { asParameter, atomsOf, feeMaxOf } from '../../methods/method.ts';
import type { Float } from '../../spend/float.ts';
import { type CommandOptions, nodePlace, pathOf, textOf, usage, walletPlace } from '../options.ts';

/**
 * The heap may grow to four times what is alive in it before all of it is collected. V8 would otherwise begin soon after half
 * as much again: for a busy daemon many times a minute, and each time is a pause.
 */
const HEAP_GROWTH_PERCENT = 300;
const CLOSE_MILLIS_MAX = 10_000;
const LOOPBACK = '127.0.0.1';
const EVERYWHERE = '0.0.0.0';
const PORT_MAX = 65_535;

export async function serveDaemon(options: CommandOptions): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  await init();
  const stopped = stopSignal(options['untilStdinEnds'] === true);
  const daemon = await openDaemon(daemonOptions(options));
  const readyFile = textOf(options, 'readyFile');
  if (daemon.fingerprint !== null) process.on('SIGHUP', () => daemon.renewCertificate());
  try {
    tell(daemon, options, readyFile);
    await stopped;
  } finally {
    setTimeout(() => process.exit(EXIT.failed), CLOSE_MILLIS_MAX).unref();
    if (readyFile !== undefined) rmSync(readyFile, { force: true });
    await daemon.close();
  }
}

function daemonOptions(options: CommandOptions): DaemonOptions {
  const isRemote = options['allowRemote'] === true;
  const sweepTo = textOf(options, 'autoSweepTo') ?? null;
  if (sweepTo !== null)
    asParameter('invalid_address', 'auto_sweep_to', () => parseAddress(sweepTo));
  return {
    ...walletPlace(options),
    ...nodePlace(options),
    tokenFile: pathOf(options, 'tokenFile'),
    readTokenFile: pathOf(options, 'readTokenFile'),
    webhookSecretFile: pathOf(options, 'webhookSecretFile'),
    webhookUrl: textOf(options, 'webhookUrl'),
    metricsBind: metricsBindOf(options['metricsBind']),
    isStateAccepted: options['acceptState'] === true,
    host: textOf(options, 'host') ?? (isRemote ? EVERYWHERE : LOOPBACK),
    port: (options['port'] as number | undefined) ?? DAEMON_PORT,
    isRemote,
    hostNames: (options['hostName'] as string[] | undefined) ?? [],
    certificateFiles: certificateFilesOf(options),
    confirmations: options['confirmations'] as number | undefined,
    autoCompound: (options['autoCompound'] as number | undefined) ?? null,
    autoSweepTo: sweepTo,
    float: floatOf(textOf(options, 'float')),
    changeAddresses: (options['changeAddresses'] as number | undefined) ?? null,
    feeMax: feeMaxOf(textOf(options, 'maxFee')),
    log: openLog(options['quiet'] === true ? 'warn' : 'info'),
  };
}

function certificateFilesOf(options: CommandOptions): DaemonOptions['certificateFiles'] {
  const certificate = pathOf(options, 'tlsCertificate');
  const key = pathOf(options, 'tlsKey');
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  if (certificate === undefined && key === undefined) return undefined;
  throw usage('--tls-certificate and --tls-key are given together');
}

/** The address in a text such as `127.0.0.1:28794`; an option without a value is `true`. */
function metricsBindOf(given: unknown): Bind | undefined {
  if (given === undefined) return undefined;
  const text = typeof given === 'string' ? given : LOOPBACK;
  const [, inner, outer = '', port] =
    /^(?:\[([0-9a-f:.]+)\]|([0-9.]+|localhost))(?::([0-9]{1,5}))?$/i.exec(text) ?? [];
  const host = (inner ?? outer).replace('localhost', LOOPBACK);
  const number = Number(port ?? METRICS_PORT);
  if (isIP(host) !== 0 && number <= PORT_MAX) return { host, port: number };
  throw usage(`--metrics-bind: expected such as ${LOOPBACK}:${METRICS_PORT}, found ${text}`);
}

function floatOf(text: string | undefined): Float | null {
  if (text === undefined) return null;
  const [, count = '', coins = ''] = /^([1-9][0-9]{0,4})x([0-9.]+)$/.exec(text) ?? [];
  if (count === '' || Number(count) > FLOAT_COINS_MAX) {
    throw usage(`--float: expected such as 100x50, with at most ${FLOAT_COINS_MAX}, found ${text}`);
  }
  return { count: Number(count), amount: BigInt(atomsOf(coins, 'float')) };
}

function tell(daemon: RunningDaemon, options: CommandOptions, readyFile?: string): void {
  const { fingerprint, metricsUrl, tokenFile, url } = daemon;
  const metrics = metricsUrl === null ? {} : { metrics_url: metricsUrl };
  const pin = fingerprint === null ? {} : { tls_fingerprint: fingerprint };
  const facts = { url, token_file: tokenFile, ...metrics, ...pin, pid: process.pid };
  const line = `${JSON.stringify(facts)}\n`;
  if (readyFile !== undefined) writeFileSync(readyFile, line, { mode: 0o600 });
  if (options['json'] === true) result(line);
  else note(`listening at ${url}; the token is in ${tokenFile}`);
}

const STANDARD_ERROR = 2;

function openLog(level: 'info' | 'warn'): Log {
  const logger = pino(
    { level, base: null, messageKey: 'message', timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: STANDARD_ERROR, sync: true }),
  );
  const log: Log = {
    debug: (fields, message) => logger.debug(plain(fields), message),
    info: (fields, message) => logger.info(plain(fields), message),
    warn: (fields, message) => logger.warn(plain(fields), message),
    error: (fields, message) => logger.error(plain(fields), message),
    // Levels of single parts cannot be set here.
    part: () => log,
  };
  return log;
}

function plain(fields: LogFields): object {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? String(value) : value,
  ]);
  return Object.fromEntries(entries) as object;
}

function stopSignal(endsWithInput: boolean): Promise<void> {
  return new Promise((resolve) => {
    // An input that is still read would keep the process from ending.
    const stop = (): void => {
      if (endsWithInput) process.stdin.destroy();
      resolve();
    };
    void signalled({ onSecond: () => process.exit(EXIT.failed) }).then(stop);
    if (!endsWithInput) return;
    process.stdin.on('end', stop).on('close', stop).on('error', stop);
    process.stdin.resume();
  });
}
