/**
 * The command `svc-bridge`: options, start, end.
 */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { messageOf } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { createLineLog, isLogLevel, type Listening, type LogLevel } from 'svc-stratum';
import { type Bridge, startBridge } from './bridge.ts';
import { bridgeOptions, type CommandOptions, DEFAULTS, UsageError } from './options.ts';

const EXIT = { ok: 0, failed: 1, usage: 2, unreachable: 3 } as const;

interface GlobalOptions extends CommandOptions {
  readonly log: string;
  readonly json?: boolean;
}

function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

function buildProgram(release: string): Command {
  return new Command('svc-bridge')
    .description('Gives miners work from a node and sends the blocks that they find.')
    .version(`svc-bridge ${release}`, '--version', 'print the release')
    .helpOption('--help', 'print this')
    .option(
      '--node <url>',
      `mining listener of a node; several in order (${DEFAULTS.node})`,
      collect,
    )
    .option('--listen <address:port>', `for miners, or off (${DEFAULTS.listen})`, collect)
    .option('--listen-tls <address:port>', 'for miners over TLS', collect)
    .option('--tls-certificate <file>', 'certificate chain of --listen-tls, PEM')
    .option('--tls-key <file>', 'key of --listen-tls, PEM')
    .option('--listen-ws <address:port>', 'for web pages, over plain WebSocket', collect)
    .option('--ws-origin <origin>', 'a page that may mine, such as https://example.org', collect)
    .option('--stats <address:port>', 'statistics, GET /v1/stats, or off', DEFAULTS.stats)
    .option('--metrics <address:port>', 'metrics, GET /metrics, or off', DEFAULTS.metrics)
    .option('--difficulty <hashes>', 'of the first shares of a miner', DEFAULTS.difficulty)
    .option('--least-difficulty <hashes>', 'no share is easier', DEFAULTS.leastDifficulty)
    .option('--pow <mode>', 'check shares with the dataset (full) or the cache (light)', 'full')
    .option('--dataset <folder>', 'where datasets are kept (~/.cache/svc/dataset)')
    .option('--log <level>', 'debug, info, warn or error', 'info')
    .option('--json', 'log as JSON lines')
    .allowExcessArguments(false)
    .showHelpAfterError('`svc-bridge --help` lists the options')
    .exitOverride();
}

/** `words` are those behind the name of the program. Returns the exit code, once the bridge has ended. */
export async function main(words: readonly string[]): Promise<number> {
  const release = releaseOf();
  try {
    const program = buildProgram(release).parse([...words], { from: 'user' });
    const given = program.opts<Partial<GlobalOptions>>();
    return await serve(given as GlobalOptions, release);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    process.stderr.write(`error: ${messageOf(error)}\n`);
    if (!(error instanceof UsageError)) return EXIT.failed;
    process.stderr.write('  `svc-bridge --help` lists the options\n');
    return EXIT.usage;
  }
}

async function serve(given: GlobalOptions, release: string): Promise<number> {
  if (!isLogLevel(given.log)) throw new UsageError('--log: expected debug, info, warn or error');
  const options = bridgeOptions(
    {
      ...given,
      node: given.node ?? [DEFAULTS.node],
      listen: given.listen ?? [DEFAULTS.listen],
      listenTls: given.listenTls ?? [],
      listenWs: given.listenWs ?? [],
      wsOrigin: given.wsOrigin ?? [],
    },
    release,
  );
  const log = openLog(given.log, given.json === true);
  let bridge: Bridge;
  try {
    bridge = await startBridge({ clock: SYSTEM_CLOCK, log }, options);
  } catch (error) {
    process.stderr.write(`error: ${messageOf(error)}\n`);
    const urls = options.nodes.map(({ href }) => href).join(', ');
    process.stderr.write(`  is a node running, with its mining listener at ${urls}?\n`);
    return EXIT.unreachable;
  }
  process.stdout.write(`${JSON.stringify(addressesOf(bridge))}\n`);
  await stopSignal();
  await bridge.close();
  return EXIT.ok;
}

function openLog(level: LogLevel, isJson: boolean) {
  const write = (line: string) => void process.stderr.write(line);
  return createLineLog(SYSTEM_CLOCK, { level, isJson: isJson || !process.stderr.isTTY, write });
}

/** What is open, for whoever started the bridge: ports of zero have become real ones. */
function addressesOf({ tcp, tls, ws, statistics, metrics }: Bridge) {
  const text = ({ host, port }: Listening) =>
    host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return {
    listen: tcp.map(text),
    listen_tls: tls.map(text),
    listen_ws: ws.map(text),
    stats: statistics === undefined ? null : text(statistics),
    metrics: metrics === undefined ? null : text(metrics),
  };
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

function releaseOf(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
