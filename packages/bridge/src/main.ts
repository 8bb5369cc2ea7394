/**
 * The command `svc-bridge`: options, start, end.
 */
import type { Command } from 'commander';
import {
  collect,
  createProgram,
  describeCliFailure,
  executeCommandLine,
  openProgramLog,
  serveProgram,
} from 'svc-base/cli';
import { releaseOf } from 'svc-base/node';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { listeningText } from 'svc-mining/server';
import { type Bridge, startBridge } from './bridge.ts';
import { type BridgeFlags, bridgeOptions, DEFAULTS } from './options.ts';

const RELEASE = releaseOf(new URL('../package.json', import.meta.url));

function buildProgram(): Command {
  return createProgram({
    name: 'svc-bridge',
    description: 'Gives miners work from a node and sends the blocks that they find.',
    release: RELEASE,
  })
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
    .option('--explorer <url>', 'page of a node, https://…/ui, to which statistics link')
    .option('--metrics <address:port>', 'metrics, GET /metrics, or off', DEFAULTS.metrics)
    .option('--difficulty <hashes>', 'of the first shares of a miner', DEFAULTS.difficulty)
    .option('--least-difficulty <hashes>', 'no share is easier', DEFAULTS.leastDifficulty)
    .option('--pow <mode>', 'check shares with the dataset (full) or the cache (light)', 'full')
    .option('--dataset <folder>', 'where datasets are kept (~/.cache/svc/dataset)')
    .option('--log <level>', 'debug, info, warn or error', 'info')
    .option('--json', 'log as JSON lines')
    .allowExcessArguments(false)
    .action(serve);
}

/** `words` are those behind the name of the program. Returns the exit code, once the bridge has ended. */
export function main(words: readonly string[]): Promise<number> {
  return executeCommandLine(words, { buildProgram, describeFailure: describeCliFailure });
}

async function serve(flags: BridgeFlags): Promise<void> {
  const options = bridgeOptions(flags, RELEASE);
  const log = openProgramLog(flags.log, flags.json === true);
  const urls = options.nodes.map(({ href }) => href).join(', ');
  await serveProgram(async () => {
    const bridge = await startBridge({ clock: SYSTEM_CLOCK, log }, options);
    return { addresses: addressesOf(bridge), close: () => bridge.close() };
  }, `is a node running, with its mining listener at ${urls}?`);
}

function addressesOf({ tcp, tls, ws, statistics, metrics }: Bridge) {
  return {
    listen: tcp.map(listeningText),
    listen_tls: tls.map(listeningText),
    listen_ws: ws.map(listeningText),
    stats: statistics === undefined ? null : listeningText(statistics),
    metrics: metrics === undefined ? null : listeningText(metrics),
  };
}
