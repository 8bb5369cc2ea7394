/** `svc-wallet daemon`. */
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';
import { type CommandOptions, repeated, whole } from '../values.ts';
import { addFeeOption, addFileOptions, addNodeOptions } from '../wallet-options.ts';

const PORT_MAX = 65_535;
const COUNT_MAX = 1_000_000;
const CHANGE_ADDRESSES_MAX = 256;

export function addDaemonCommand(program: Command): void {
  const command = program
    .command('daemon')
    .summary('serve the wallet to programs by JSON-RPC')
    .description(
      'Serves the wallet until it is told to stop: JSON-RPC at /v1/rpc and events at /v1/ws, on this machine alone. It needs the password in a file, and waits for its node rather than asking another.',
    );
  addFeeOption(addNodeOptions(addFileOptions(command)))
    .option('--port <n>', 'where it listens; 0 for a free port (default: 28703)', port)
    .option(
      '--token-file <file>',
      'the token that allows everything (default: <wallet file>.token)',
    )
    .option('--read-token-file <file>', 'a second token, for callers that may only read')
    .option('--confirmations <n>', 'cuts for the event `confirmations` (default: 1)', confirmations)
    .option('--auto-compound <n>', 'merge every address holding more outputs than this', compound)
    .option('--auto-sweep-to <address>', 'forward every finalized payment to this address')
    .option('--float <n>x<coins>', 'keep n outputs that can each pay so many coins, such as 100x50')
    .option(
      '--change-addresses <n>',
      'send change to n addresses in turn: cheaper payments, and each shows the wallet',
      change,
    )
    .option('--allow-remote', 'listen beyond this machine, with TLS of its own or in front')
    .option('--tls-certificate <file>', 'speak TLS with this certificate (chain), PEM')
    .option('--tls-key <file>', 'its key, PEM; only its owner may read the file')
    .option('--host <ip>', 'where to listen (default: 127.0.0.1; every address if remote)')
    .option('--host-name <name>', 'a name under which a proxy serves it; several', repeated)
    .option(
      '--metrics-bind [ip[:port]]',
      'serve metrics at /metrics (127.0.0.1:28794 unless given; off if absent)',
    )
    .option('--webhook-url <url>', 'send every event there, signed: https, or this machine')
    .option(
      '--webhook-secret-file <file>',
      'the key of the signatures (default: <wallet file>.webhook-secret)',
    )
    .option('--accept-state', 'go on although the journal copy is gone: the state is the newest')
    .option('--ready-file <file>', 'write where it listens into a file, once it does')
    .option('--until-stdin-ends', 'end when standard input does, as a child process')
    .option('--json', 'print where it listens as a line of JSON')
    .option('--quiet', 'log warnings and errors only')
    .action(async (options: CommandOptions) => {
      const { serveDaemon } = await import('../daemon/serve-daemon.ts');
      await serveDaemon(options);
    });
  addExamples(command, [
    'daemon',
    'daemon --confirmations 3 --read-token-file read.token',
    'daemon --auto-compound 50 --auto-sweep-to dsvc1…',
    'daemon --float 100x50 --metrics-bind 127.0.0.1',
    'daemon --webhook-url https://shop.example/svc-events',
    'daemon --port 0 --json --quiet --until-stdin-ends',
  ]);
}

const port = whole('--port', 0, PORT_MAX);
const confirmations = whole('--confirmations', 1, COUNT_MAX);
const change = whole('--change-addresses', 1, CHANGE_ADDRESSES_MAX);
const compound = whole('--auto-compound', 1, COUNT_MAX);
