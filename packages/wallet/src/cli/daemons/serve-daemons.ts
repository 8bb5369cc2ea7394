/**
 * Several wallets as a process: starts a daemon for each, listens in front of them, and stops them all at its end. This
 * process never has a key. Whatever ends it ends the daemons too, because their standard input ends with it.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { CliError, EXIT, type ExitCode, note, result } from 'svc-base/cli';
import { messageOf } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { readCertificate } from '../../daemon/certificate.ts';
import type { ListenerOptions } from '../../daemon/listener.ts';
import { DAEMON_PORT, expectLoopback } from '../../daemon/open-daemon.ts';
import { Front } from '../../daemons/front.ts';
import { SocketFolder } from '../../daemons/socket-folder.ts';
import { WalletProcess } from '../../daemons/wallet-process.ts';
import { openLog } from '../daemon/open-log.ts';
import { certificateFilesOf } from '../daemon/serve-daemon.ts';
import { stopSignal } from '../daemon/stop-signal.ts';
import { type CommandOptions, textOf } from '../values.ts';
import { walletsOf } from './wallets-of.ts';

/** Longer than a daemon takes to end. */
const CLOSE_MILLIS_MAX = 12_000;
const LOOPBACK = '127.0.0.1';
const EVERYWHERE = '0.0.0.0';

export async function serveDaemons(options: CommandOptions): Promise<void> {
  const log = openLog(options['quiet'] === true ? 'warn' : 'info');
  const stopped = stopSignal(options['untilStdinEnds'] === true);
  const certificateFiles = certificateFilesOf(options);
  const place = placeOf(options);
  expectLoopback({ ...place, certificateFiles });
  const certificate =
    certificateFiles === undefined ? undefined : readCertificate(certificateFiles);
  const writeLine = (line: string): void => void process.stderr.write(`${line}\n`);
  const ports = { log, clock: SYSTEM_CLOCK, writeLine };
  const given = walletsOf(options);
  const folder = await SocketFolder.make();
  const wallets = given.map(
    (wallet, at) => new WalletProcess({ ...wallet, socketPath: folder.socketOf(at) }, ports),
  );
  const readyFile = textOf(options, 'readyFile');
  let front: Front | undefined;
  const listening = async (): Promise<void> => {
    await startAll(wallets);
    front = await Front.listen({ ...place, certificate }, wallets);
    process.on('SIGHUP', () => {
      for (const wallet of wallets) void wallet.start();
      if (certificateFiles === undefined) return;
      try {
        front?.renewCertificate(readCertificate(certificateFiles));
      } catch (error) {
        const fields = { error: messageOf(error) };
        log.error(fields, 'the new certificate cannot be used: the old one stays');
      }
    });
    tell(front, wallets, options, readyFile);
    await stopped;
  };
  try {
    await Promise.race([listening(), stopped]);
  } finally {
    const end = (): void => {
      folder.remove();
      process.exit(EXIT.failed);
    };
    setTimeout(end, CLOSE_MILLIS_MAX).unref();
    if (readyFile !== undefined) rmSync(readyFile, { force: true });
    await front?.close();
    await Promise.all(wallets.map((wallet) => wallet.close()));
    folder.remove();
  }
}

function placeOf(options: CommandOptions): Omit<ListenerOptions, 'certificate'> {
  const isRemote = options['allowRemote'] === true;
  return {
    host: textOf(options, 'host') ?? (isRemote ? EVERYWHERE : LOOPBACK),
    port: (options['port'] as number | undefined) ?? DAEMON_PORT,
    isRemote,
    hostNames: (options['hostName'] as string[] | undefined) ?? [],
  };
}

/** Wrong options of one wallet are refused like others; a wallet that cannot be opened leaves the others to be served. */
async function startAll(wallets: readonly WalletProcess[]): Promise<void> {
  const codes = await Promise.all(wallets.map((wallet) => wallet.start()));
  const refusedAt = codes.indexOf(EXIT.usage);
  const name = wallets[refusedAt]?.name;
  if (name !== undefined)
    throw new CliError(EXIT.usage, `the options of the wallet ${name} are wrong`);
  if (codes.includes(undefined)) return;
  const code = codes[0] ?? EXIT.failed;
  throw new CliError(code as ExitCode, 'none of the wallets can be opened');
}

function tell(
  { url }: Front,
  wallets: readonly WalletProcess[],
  options: CommandOptions,
  readyFile: string | undefined,
): void {
  const list = wallets.map(({ facts, name }) => ({
    name,
    url: `${url}/wallets/${name}`,
    running: facts !== undefined,
    token_file: facts?.token_file ?? null,
    pid: facts?.pid ?? null,
  }));
  const line = `${JSON.stringify({ url, wallets: list, pid: process.pid })}\n`;
  if (readyFile !== undefined) writeFileSync(readyFile, line, { mode: 0o600 });
  if (options['json'] === true) {
    result(line);
    return;
  }
  for (const wallet of list)
    note(`${wallet.name} ${wallet.running ? `is at ${wallet.url}` : 'does not run'}`);
}
