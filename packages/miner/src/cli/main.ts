/**
 * The command line of `svc-miner`.
 */
import type { Command } from 'commander';
import {
  CliError,
  collect,
  columns,
  createProgram,
  EXIT,
  executeCommandLine,
  result,
  resultJson,
} from 'svc-base/cli';
import { messageOf } from 'svc-base/pure';
import { SvcError } from 'svc-wasm/base';
import { RELEASE } from '../release.ts';
import { openClDevices } from './choose-devices.ts';
import { METRICS_PORT, type MinerFlags, STATS_PORT } from './options.ts';
import type { VerifyFlags } from './verify-round.ts';

const SHORT_HELP = `svc-miner searches work blocks of the svc ledger with cards and processors.

  svc-miner --url svc+tcp://HOST:PORT --user ADDRESS.WORKER    mine for a bridge or a pool
  svc-miner --node http://127.0.0.1:28702 --user ADDRESS       mine for a node on this machine
  svc-miner --bench                                            measure the devices of this machine
  svc-miner --list-devices                                     show them
  svc-miner verify-round N --pool URL --user ADDRESS           audit a round of a pool

svc-miner --help lists every option.
`;

export function buildProgram(): Command {
  const program = createProgram({
    name: 'svc-miner',
    description:
      'Searches work blocks of the svc ledger with OpenCL cards and threads of the processor.',
    release: RELEASE,
  })
    .enablePositionalOptions()
    .option(
      '--url <address>',
      'server: svc+tcp://host:port, svc+tls://…, ws://…, wss://…, with #v2 for frames; several are tried in order',
      collect,
    )
    .option(
      '--node <url>',
      'mining listener of a node, without a server between; several are tried in order',
      collect,
    )
    .option('--user <address.worker>', 'who is paid, and a name for this machine')
    .option('--password <text>', 'for servers that ask for one')
    .option('--tag <text>', 'up to 20 characters that the server writes into your blocks')
    .option('--device <choice>', 'auto, cpu, gpu, gpu:0,1, cpu+gpu:0', 'auto')
    .option('--threads <count>', 'threads of the processor; all but one unless given')
    .option(
      '--dataset-dir <folder>',
      'where datasets are kept; below the cache directory unless given',
    )
    .option(
      '--shares-dir <folder>',
      'where shares that pools acknowledged are kept; below the state directory unless given',
    )
    .option('--ca <file>', 'certificate authority (PEM) of a server with a certificate of its own')
    .option('--explorer <url>', 'page of a node, https://…/ui, to which statistics link')
    .option('--stats-bind <address>', 'JSON statistics, GET /v1/stats', `127.0.0.1:${STATS_PORT}`)
    .option('--no-stats', 'no statistics listener')
    .option(
      '--metrics-bind <address>',
      'Prometheus metrics, GET /metrics',
      `127.0.0.1:${METRICS_PORT}`,
    )
    .option('--no-metrics', 'no metrics listener')
    .option('--list-devices', 'show OpenCL devices and the processor, then end')
    .option('--bench', 'measure the chosen devices, then end')
    .option(
      '--network <name>',
      'whose sizes a bench uses: mainnet, testnet, testnet100, development',
      'mainnet',
    )
    .option('--seconds <count>', 'length of a bench', '10')
    .option('--json', 'result of --bench and --list-devices as JSON')
    .addHelpText(
      'after',
      `
Examples:
  svc-miner --url svc+tcp://127.0.0.1:28780 --user <address>.rig1
  svc-miner --node http://127.0.0.1:28702 --user <address>
  svc-miner --url svc+tls://pool.example:28781 --url svc+tls://other.example:28781 --user <address>.rig1 --device gpu
  svc-miner --bench --device gpu:0 --seconds 60`,
    )
    .action(async (flags: MinerFlags) => {
      if (flags.listDevices === true) return listDevices(flags);
      if (flags.bench === true) return (await import('./bench.ts')).bench(flags);
      return (await import('./mine.ts')).mine(flags);
    });
  addVerifyRound(program);
  return program;
}

function addVerifyRound(program: Command): void {
  program
    .command('verify-round <number>')
    .summary('audit a round that a pool published')
    .description(
      'Computes a round of a pool again, looks for its reward and its payment on the ledger, and for your own acknowledged shares in its window.',
    )
    .requiredOption('--pool <url>', 'web address of the pool, such as http://127.0.0.1:28772')
    .option('--node <url>', 'HTTP API of a node that you trust')
    .requiredOption('--user <address>', 'the address that you mine for')
    .option('--shares-dir <folder>', 'where acknowledged shares are kept')
    .option('--margin <cuts>', 'at the end of the window, for shares that were under way', '2')
    .option('--json', 'the findings as JSON')
    .action(async (number: string, flags: VerifyFlags) =>
      (await import('./verify-round.ts')).verifyRound(number, flags),
    );
}

function listDevices({ json }: MinerFlags): void {
  const devices = openClDevices().map(({ handle: _, extensions: __, ...facts }) => facts);
  const rows = devices.map((device) => [
    `gpu:${device.index}`,
    device.name,
    device.platform,
    `${Math.round(device.memoryBytes / 2 ** 20)} MiB`,
    device.isCpu ? 'the processor through OpenCL; not taken by auto' : '',
  ]);
  if (json === true) resultJson(devices);
  else if (devices.length === 0)
    result('no OpenCL device; `--device cpu` mines with the processor');
  else result(columns([['device', 'name', 'driver', 'memory', ''], ...rows]));
}

export function main(words: readonly string[]): Promise<number> {
  return executeCommandLine(words, {
    shortHelp: SHORT_HELP,
    buildProgram,
    describeFailure: (error) => {
      if (error instanceof CliError) {
        const { message, hint, exitCode } = error;
        return { message, hint, exitCode };
      }
      return {
        message: messageOf(error),
        exitCode: error instanceof SvcError ? EXIT.usage : EXIT.failed,
      };
    },
  });
}
