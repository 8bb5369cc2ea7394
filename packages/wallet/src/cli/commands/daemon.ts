/** The daemon, the tokens of its callers, and the audit of what they paid. */
import { type Command, Option } from 'commander';
import {
  addExamples,
  addFeeOption,
  addFileOptions,
  addNodeOptions,
  addWalletOptions,
  auditFileOption,
  lazily,
  repeated,
  whole,
} from '../options.ts';

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
    .action(lazily(() => import('../run/daemon.ts'), 'serveDaemon'));
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

const SCOPE_NAMES = ['read', 'deposit', 'spend', 'everything'];

export function addTokenCommands(program: Command): void {
  addCreate(program);
  const list = program
    .command('tokens')
    .summary('list the tokens that programs have')
    .description(
      'Lists the tokens that were made and not revoked. The token beside the wallet file, which allows everything, is not among them.',
    );
  addCommonOptions(list).action(lazily(() => import('../run/tokens.ts'), 'listTokens'));
  addExamples(list, ['tokens', 'tokens --json']);
  const revoke = program
    .command('token-revoke')
    .summary('take a token away from a program')
    .description(
      'A running daemon refuses the token from now on, also for calls of a batch and payments that wait, and closes connections that were opened with it within half a minute. Its name stays used.',
    )
    .requiredOption('--name <name>', 'the token');
  addCommonOptions(revoke).action(lazily(() => import('../run/tokens.ts'), 'revokeToken'));
  addExamples(revoke, ['token-revoke --name withdrawals-1']);
}

function addCreate(program: Command): void {
  const create = program
    .command('token-create')
    .summary('make a token for a program, with what it may do')
    .description(
      'Makes a token that a running daemon accepts at once. It is shown once, or written to a file; the wallet keeps a hash of it. Every scope includes reading; to spend is to send, sweep, merge and split, within the limits given here.',
    )
    .requiredOption('--name <name>', 'its name, for the journal and the audit: a-z, 0-9, . _ -')
    .addOption(
      new Option('--scope <scope>', `what it allows, several: ${SCOPE_NAMES.join(', ')}`).argParser(
        repeated,
      ),
    )
    .option('--payment-max <coins>', 'the most that one call may pay, without the fee')
    .option('--day-max <coins>', 'the most that may leave within 24 hours, fees included')
    .option('--allow <address>', 'an address that may be paid, and no others; several', repeated)
    .option('--allow-file <file>', 'such addresses, one a line')
    .option('--like <name>', 'the scopes and limits of another token, and one budget with it')
    .option('--out <file>', 'write the token into a new file that only its owner may read');
  addCommonOptions(create).action(lazily(() => import('../run/tokens.ts'), 'createToken'));
  addExamples(create, [
    'token-create --name deposits-1 --scope deposit --out deposits.token',
    'token-create --name withdrawals-1 --scope spend --payment-max 50 --day-max 1000',
    'token-create --name withdrawals-2 --like withdrawals-1',
    'token-create --name to-cold --scope spend --allow dsvc1…',
  ]);
}

function addCommonOptions(command: Command): Command {
  return addWalletOptions(command).option('--json', 'print the result as JSON');
}

const LINES_MAX = 100_000;

export function addAuditCommand(program: Command): void {
  const command = program
    .command('audit')
    .summary('show what was paid, by whom, and check the record of it')
    .description(
      'Reads the audit file, checks that each line follows from the one before, and shows the newest. It ends with a refusal if a line was changed, removed or put in. The wallet is not opened, and a daemon may be running.',
    );
  addWalletOptions(command)
    .addOption(auditFileOption())
    .option('--request-id <text>', 'only lines of this request')
    .option('--limit <n>', 'how many lines to show (default: 50)', whole('--limit', 1, LINES_MAX))
    .option('--json', 'print the result as JSON')
    .action(lazily(() => import('../run/audit.ts'), 'showAudit'));
  addExamples(command, ['audit', 'audit --request-id withdrawal-1042 --json']);
}
