/**
 * Opens a daemon: reads its files, opens the wallet, listens, and follows the node until it is closed.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type MetricsServer, startMetricsServer } from 'svc-base/node';
import { type Clock, messageOf, metricsText } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { init } from 'svc-wasm';
import { UsageError } from '../errors.ts';
import { openWalletFile } from '../file/open-wallet-file.ts';
import { passwordPath, readPassword } from '../file/secret-file.ts';
import { ensureToken, tokenPath, webhookSecretPath } from '../file/token.ts';
import { TokenStore, tokensPath } from '../file/token-store.ts';
import { auditPath } from '../state/audit-file.ts';
import { journalCopyPath } from '../state/journal-copy.ts';
import { openState } from '../state/open-state.ts';
import { Wallet, type WalletOptions } from '../wallet.ts';
import { openGrants } from './access.ts';
import { type CertificateFiles, type DaemonCertificate, readCertificate } from './certificate.ts';
import { DaemonServer, type ServerOptions } from './server.ts';
import { type WalletMetricsPorts, walletMetrics } from './wallet-metrics.ts';
import { isOnThisMachine, isWebhookUrl, Webhook } from './webhook.ts';

/** Where the daemon listens, and where its node is, unless an option says otherwise. */
export const DAEMON_PORT = 28_703;
export const METRICS_PORT = 28_794;
export const SERVICE_DEFAULT = 'http://127.0.0.1:28701';

/** An address to listen on. */
export interface Bind {
  readonly host: string;
  readonly port: number;
}

type WalletPart = Omit<WalletOptions, 'state' | 'root' | 'fixed' | 'network' | 'isRevoked'>;
type ServerPart = Omit<ServerOptions, 'wallet' | 'grants' | 'clock' | 'certificate' | 'onReplied'>;

export interface DaemonOptions extends WalletPart, ServerPart {
  readonly file: string;
  readonly passwordFile?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly readTokenFile?: string | undefined;
  /** Where metrics are served; they are not without. */
  readonly metricsBind?: Bind | undefined;
  /** Where events are sent; they are not without. */
  readonly webhookUrl?: string | undefined;
  /** Holds the key of their signatures. */
  readonly webhookSecretFile?: string | undefined;
  /** With them the daemon speaks TLS itself. */
  readonly certificateFiles?: CertificateFiles | undefined;
}

export interface RunningDaemon {
  readonly url: string;
  readonly tokenFile: string;
  readonly wallet: Wallet;
  /** Where metrics are, if they are served. */
  readonly metricsUrl: string | null;
  /** Of its own certificate, if it has one. */
  readonly fingerprint: string | null;
  /** Reads the files of the certificate again. One that cannot be used is logged, and the old one stays. */
  renewCertificate(): void;
  close(): Promise<void>;
}

export async function openDaemon(options: DaemonOptions): Promise<RunningDaemon> {
  const { clock = SYSTEM_CLOCK, file, log, reached } = options;
  expectLoopback(options);
  const limit = forbidCoreDumps();
  if (limit !== '0' && limit !== undefined)
    log.warn({ limit }, 'a crash would write keys to the disk: start with ulimit -c 0');
  const { certificateFiles } = options;
  let certificate = certificateFiles === undefined ? undefined : readCertificate(certificateFiles);
  await init();
  const tokenFile = options.tokenFile ?? tokenPath(file);
  const tokens = {
    full: ensureToken(tokenFile),
    read: options.readTokenFile === undefined ? null : ensureToken(options.readTokenFile),
  };
  const store = new TokenStore(tokensPath(file));
  const grants = openGrants(tokens, store, log);
  const wallet = await openWalletOf(options, clock, store);
  /** What is open, newest last; it is closed in the other direction, also when a later part cannot be opened. */
  const opened: { close(): Promise<void> }[] = [wallet];
  const close = async (): Promise<void> => {
    for (const part of opened.splice(0).toReversed()) await part.close();
  };
  try {
    const server = await DaemonServer.listen({
      ...options,
      ...{ wallet, grants, clock, certificate },
      ...(reached === undefined ? {} : { onReplied: () => reached('after_reply') }),
    });
    opened.push(server);
    const webhook = webhookOf(options, wallet);
    if (webhook !== null) opened.push(webhook);
    const { access, meter, url } = server;
    const metrics = await serveMetrics(options, { wallet, grants, access, meter, webhook });
    if (metrics !== null) opened.push(metrics);
    const tell = (): void => tellHolder(wallet, { url, tokenFile, certificate });
    tell();
    log.info({ url, service: options.service, network: wallet.network }, 'listening');
    warnOf(options);
    wallet.start();
    webhook?.start();
    const metricsUrl = metrics === null ? null : metricsUrlOf(metrics.address);
    const renewCertificate = (): void => {
      const read = readAgain(options);
      if (read === undefined) return;
      server.renewCertificate(read);
      certificate = read;
      tell();
    };
    const fingerprint = certificate?.fingerprint ?? null;
    return { url, tokenFile, wallet, metricsUrl, fingerprint, renewCertificate, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface HolderFacts {
  readonly url: string;
  readonly tokenFile: string;
  readonly certificate: DaemonCertificate | undefined;
}

/** Leaves word beside the wallet where the daemon is and what it is known by. */
function tellHolder(wallet: Wallet, { certificate, tokenFile, url }: HolderFacts): void {
  const pin = certificate === undefined ? {} : { fingerprint: certificate.fingerprint };
  wallet.state.setHolder({ pid: process.pid, purpose: 'daemon', url, tokenFile, ...pin });
  if (certificate === undefined) return;
  const { fingerprint, validTo } = certificate;
  wallet.log.info({ fingerprint, valid_to: validTo }, 'serving with its own certificate');
}

function readAgain({ certificateFiles, log }: DaemonOptions): DaemonCertificate | undefined {
  if (certificateFiles === undefined) return undefined;
  try {
    return readCertificate(certificateFiles);
  } catch (error) {
    log.error({ error: messageOf(error) }, 'the new certificate cannot be used: the old one stays');
    return undefined;
  }
}

/** Says what an operator should change. */
function warnOf({ certificateFiles, host, identity, isRemote, log, service }: DaemonOptions): void {
  if (isRemote && certificateFiles === undefined)
    log.warn({ host }, 'reachable from elsewhere: TLS must be in front');
  if (identity === undefined && !isOnThisMachine(new URL(service).hostname))
    log.warn({ service }, 'the node is elsewhere and may tell anything: pin it with --identity');
}

async function serveMetrics(
  { log, metricsBind: bind }: DaemonOptions,
  ports: WalletMetricsPorts,
): Promise<MetricsServer | null> {
  if (bind === undefined) return null;
  if (!isLoopback(bind.host))
    log.warn({ host: bind.host }, 'metrics can be read from elsewhere, without authentication');
  return await startMetricsServer({
    bind,
    text: () => metricsText(walletMetrics(ports)),
    onFailure: (error) => log.error({ error: messageOf(error) }, 'metrics could not be read'),
  });
}

/** The secret is made on the first start, as a token is. */
function webhookOf({ file, log, ...options }: DaemonOptions, wallet: Wallet): Webhook | null {
  const { webhookSecretFile, webhookUrl: url } = options;
  if (url === undefined) return null;
  if (!isWebhookUrl(url)) {
    const message = 'events are sent over https, or to this machine';
    throw new UsageError(`--webhook-url: ${message}`, 'put TLS in front of the receiver');
  }
  const secret = ensureToken(webhookSecretFile ?? webhookSecretPath(file));
  const { clock, events, state } = wallet;
  return new Webhook({ url, secret }, { state, events, clock, log });
}

function metricsUrlOf({ host, port }: Bind): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}/metrics`;
}

async function openWalletOf(
  options: DaemonOptions,
  clock: Clock,
  tokens: TokenStore,
): Promise<Wallet> {
  const { file } = options;
  const passwordOf = (keysFile: string): string =>
    readPassword(options.passwordFile ?? passwordPath(keysFile));
  const { fixed, identity, network, root } = await openWalletFile(file, passwordOf);
  if (fixed !== null) expectNothingAutomatic(options);
  const state = openState(file, identity, 'daemon');
  const journalCopy = options.journalCopy ?? journalCopyPath(file);
  try {
    const auditFile = options.auditFile ?? auditPath(file);
    const isRevoked = (caller: string): boolean => tokens.isRevoked(caller);
    const own = { state, root, fixed, network, clock, journalCopy, auditFile, isRevoked };
    return await Wallet.open({ ...options, ...own });
  } catch (error) {
    state.close();
    throw error;
  }
}

/** The daemon can pay nothing by itself from a wallet whose payments are signed elsewhere. */
function expectNothingAutomatic(options: DaemonOptions): void {
  const { autoCompound, autoSweepTo, changeAddresses, float } = options;
  const given = [autoCompound, autoSweepTo, changeAddresses, float];
  if (given.every((option) => (option ?? null) === null)) return;
  const message = 'the wallet is shared or watched, and pays nothing by itself';
  const hint = 'leave out --auto-compound, --auto-sweep-to, --change-addresses and --float';
  throw new UsageError(message, hint);
}

function isLoopback(host: string): boolean {
  return host === '127.0.0.1' || host === '::1' || host === 'localhost';
}

/** Throws unless what listens stays on this machine, or has TLS. */
function expectLoopback({
  certificateFiles,
  host,
  hostNames,
  isRemote,
}: Pick<DaemonOptions, 'certificateFiles' | 'host' | 'hostNames' | 'isRemote'>): void {
  if (isRemote && hostNames.length === 0 && certificateFiles === undefined) {
    const message = '--allow-remote needs TLS: a certificate of its own, or one in front';
    const hint =
      'give --tls-certificate and --tls-key, or put TLS in front and give its name with --host-name';
    throw new UsageError(message, hint);
  }
  if (isLoopback(host) || isRemote) return;
  const message = `the daemon listens on ${host} only when it is told --allow-remote`;
  const hint = 'give --allow-remote, with --tls-certificate and --tls-key or with TLS in front';
  throw new UsageError(message, hint);
}

const PATIENCE_MILLIS = 5_000;

/** Forbids core dumps of this process. Returns the limit that is left, `0` if all went well; undefined where the system does not tell. */
export function forbidCoreDumps(): string | undefined {
  const limit = coreLimitOf(readLimits());
  if (limit === undefined || limit === '0') return limit;
  const words = ['--core=0:0', `--pid=${process.pid}`];
  spawnSync('prlimit', words, { stdio: 'ignore', timeout: PATIENCE_MILLIS });
  return coreLimitOf(readLimits());
}

/** How much of its memory the system writes to the disk when this process crashes, as Linux reports it. */
export function coreLimitOf(limits: string): string | undefined {
  return /^Max core file size +(\S+)/m.exec(limits)?.[1];
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
