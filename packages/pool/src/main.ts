/**
 * The command `svc-pool`: options, start, end.
 */
import type { Command } from 'commander';
import {
  CliError,
  collect,
  complain,
  createProgram,
  describeCliFailure,
  EXIT,
  executeCommandLine,
  openProgramLog,
  serveProgram,
} from 'svc-base/cli';
import { releaseOf } from 'svc-base/node';
import { messageOf } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { type Listeners, listeningText } from 'svc-mining/server';
import { init } from 'svc-wasm';
import { DatabaseUnavailable } from './database/database.ts';
import { DEFAULTS, type PoolFlags, poolOptions } from './options.ts';
import { type Pool, startPool } from './pool.ts';

const RELEASE = releaseOf(new URL('../package.json', import.meta.url));

function buildProgram(): Command {
  const program = createProgram({
    name: 'svc-pool',
    description: 'Lets miners work together or alone for one address, keeps the books and pays.',
    release: RELEASE,
  })
    .option('--address <address>', 'what blocks pay: an address of the wallet that pays the miners')
    .option('--name <text>', 'written into blocks and shown on the page', DEFAULTS.name)
    .option(
      '--node <url>',
      `mining listener of a node; several in order (${DEFAULTS.node})`,
      collect,
    )
    .option('--api <url>', 'HTTP API of a node, for rewards', DEFAULTS.api);
  addListeners(program)
    .option(
      '--web-listen <address:port>',
      'page, statistics and metrics, or off',
      DEFAULTS.webListen,
    )
    .option('--no-metrics', 'no GET /metrics on the web listener')
    .option('--explorer <url>', 'page of a node, https://…/ui, to which blocks and payments link')
    .option('--database <name>', 'file, or URL of a PostgreSQL database', DEFAULTS.database)
    .option('--fee <percent>', "the pool's part of every reward", DEFAULTS.fee)
    .option('--window <blocks>', 'a block is shared by the work of so many blocks', DEFAULTS.window)
    .option('--wallet <url>', 'wallet daemon that pays, or off', DEFAULTS.wallet)
    .option('--wallet-token-file <file>', 'token of the wallet daemon')
    .option('--payout-threshold <coins>', 'least balance that is paid', DEFAULTS.payoutThreshold)
    .option('--payout-interval <seconds>', 'time between payouts', DEFAULTS.payoutInterval)
    .option('--difficulty <hashes>', 'of the first shares of a miner', DEFAULTS.difficulty)
    .option('--least-difficulty <hashes>', 'no share is easier', DEFAULTS.leastDifficulty)
    .option('--pow <mode>', 'check shares with the dataset (full) or the cache (light)', 'full')
    .option('--dataset <folder>', 'where datasets are kept (~/.cache/svc/dataset)')
    .option('--log <level>', 'debug, info, warn or error', 'info')
    .option('--json', 'log as JSON lines')
    .allowExcessArguments(false)
    .action(serve);
  return program;
}

function addListeners(program: Command): Command {
  for (const [mode, words, more] of [
    ['pplns', 'for miners who share blocks', `, or off (${DEFAULTS.pplnsListen})`],
    ['solo', 'for miners who keep their own blocks', ''],
  ] as const)
    program
      .option(`--${mode}-listen <address:port>`, `${words}${more}`, collect)
      .option(`--${mode}-listen-tls <address:port>`, `${words}, over TLS`, collect)
      .option(`--${mode}-listen-ws <address:port>`, `${words}, over plain WebSocket`, collect);
  return program
    .option('--tls-certificate <file>', 'certificate chain of the listeners with TLS, PEM')
    .option('--tls-key <file>', 'its key, PEM')
    .option('--ws-origin <origin>', 'a page that may mine, such as https://example.org', collect);
}

/** `words` are the arguments after the name of the program. Returns the exit code, once the pool has ended. */
export function main(words: readonly string[]): Promise<number> {
  return executeCommandLine(words, { buildProgram, describeFailure: describeCliFailure });
}

async function serve(flags: PoolFlags): Promise<void> {
  await init();
  const options = poolOptions(flags, RELEASE);
  const log = openProgramLog(flags.log, flags.json === true);
  const urls = [...options.nodes, options.api].map(({ href }) => href).join(', ');
  await serveProgram(async () => {
    try {
      const pool = await startPool({ clock: SYSTEM_CLOCK, log, onFatal: end }, options);
      return { addresses: addressesOf(pool), close: () => pool.close() };
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      throw new CliError(EXIT.unreachable, error.message, {
        hint: 'one pool at a time has a database; --database names another',
      });
    }
  }, `is a node running, at ${urls}?`);
}

/** What cannot be written down must not be acknowledged: the program ends and is started again. */
function end(error: Error): void {
  complain({
    message: `the books cannot be kept: ${messageOf(error)}`,
    hint: 'no share was acknowledged that is not in them; start the pool again',
  });
  process.exit(EXIT.failed);
}

function addressesOf({ pplns, solo, web }: Pool) {
  const texts = ({ tcp, tls, ws }: Listeners, mode: string) => ({
    [`${mode}_listen`]: tcp.map(listeningText),
    [`${mode}_listen_tls`]: tls.map(listeningText),
    [`${mode}_listen_ws`]: ws.map(listeningText),
  });
  return {
    ...texts(pplns, 'pplns'),
    ...texts(solo, 'solo'),
    web: web === undefined ? null : listeningText(web),
  };
}
