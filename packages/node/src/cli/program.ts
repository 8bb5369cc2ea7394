/**
 * The command line of `svcd`: every command with its options. What a command does is loaded when it is called.
 */
import { type Command, Option } from 'commander';
import { createProgram } from 'svc-base/cli';
import { VERSION } from '../version.ts';
import {
  addConfigOptions,
  addSettingOptions,
  type CommandOptions,
  DEV_LOG_FILTER,
  repeated,
  STORE_SETTINGS,
} from './config-options.ts';
import type { CheckOptions } from './genesis/check-genesis.ts';
import type { MakeOptions } from './genesis/make-genesis.ts';
import type { NewNetworkOptions } from './network/new-network.ts';

/** `svcd dev`. */
function addDevCommand(program: Command): void {
  const command = program
    .command('dev')
    .summary('run a private network for development')
    .description(
      'Runs a whole network in one process: validators, miner, wallet and ten funded accounts whose keys are public.',
    )
    .option('--cut-time <time>', 'time between cuts: 250ms, 2.5s, auto or manual', '500ms')
    .option('--validators <n>', 'validators in the committee', '4')
    .option(
      '--port <n>',
      'port of the API; mining and wallet take the next two; 0 for free ones',
      '28701',
    )
    .option('--state <directory>', 'keep the network there and go on with it at the next start')
    .option(
      '--config-out <file>',
      'write addresses, ports, accounts and a trust anchor as JSON to a file',
    )
    .option('--json', 'print the same JSON when the network is ready')
    .addOption(new Option('--no-wallet', 'start no wallet daemon'))
    .option('--bridge', 'mine by svc-bridge and svc-miner beside the node, not inside it')
    .addOption(new Option('--no-miner', 'mine no blocks'));
  addSettingOptions(command, ['http.browser_origins', 'http.ui', 'log.filter', 'log.file'], {
    'log.filter': DEV_LOG_FILTER,
  }).action(async (options: CommandOptions) => {
    const { runDev } = await import('./dev/run-dev.ts');
    await runDev(options);
  });
}

/** `svcd genesis`. */
function addGenesisCommand(program: Command): void {
  const genesis = program
    .command('genesis')
    .summary('collect validators, make or check a genesis document')
    .description(
      'The ceremony before a chain: collects the applications of its validators, makes the genesis document, and checks it.',
    );
  genesis
    .command('add')
    .summary('check applications of validators and collect them')
    .description(
      'Checks application files of `svcd validator init` and copies them into a folder, out of which `svcd genesis make --applications` makes the document.',
    )
    .argument('<folder>', 'where applications are collected')
    .argument('<file...>', 'applications')
    .action(async (folder: string, files: string[]) => {
      const { addApplications } = await import('./genesis/add-applications.ts');
      await addApplications(folder, files);
    });
  genesis
    .command('check')
    .summary('check a document and print its chain id')
    .description(
      'Checks whether a chain can start from a document and prints the chain id, which names everything in it; shows the validators with their ids, stakes and routes, the state root, and whatever is odd. All who start the chain compare the chain id.',
    )
    .argument('<file>', 'the genesis document')
    .option('--json', 'print what it says as JSON')
    .action(async (file: string, options: CheckOptions) => {
      const { checkGenesisFile } = await import('./genesis/check-genesis.ts');
      await checkGenesisFile(file, options);
    });
  genesis
    .command('make')
    .summary('make the document of a new chain')
    .description(
      'Makes a genesis document. Outputs and bonds sum to 20,000,000 coins; --rest takes what is left.',
    )
    .option(
      '--network <name>',
      'whose rules the chain follows; that of the applications, or development',
    )
    .option('--start <time>', 'when the chain begins: 2027-01-31T12:00:00Z, or +15m; in the future')
    .option('--applications <folder>', 'the validators that `svcd genesis add` collected')
    .option('--heartbeat-coins <coins>', 'what each application gets for its heartbeats', '100')
    .option('--output <address=coins>', 'a first output; may be repeated', repeated)
    .option(
      '--validator <file>',
      'a validator as in the document, in a file; may be repeated',
      repeated,
    )
    .option('--rest <address>', 'the address that gets what is left')
    .option('--pace-millis <n>', 'the time between cuts; 500 for development, else 2500')
    .option('--work-target <hex>', 'the first target of proof of work; the easiest if absent')
    .option('--out <file>', 'write the document there and print the chain id')
    .action(async (options: MakeOptions) => {
      const { makeGenesisFile } = await import('./genesis/make-genesis.ts');
      await makeGenesisFile(options);
    });
}

/** `svcd network new`. */
function addNetworkCommand(program: Command): void {
  program
    .command('network')
    .summary('make a whole network for trials')
    .description('Makes networks of several nodes, for trials.')
    .command('new')
    .summary('make the folders of a new network')
    .description(
      'Makes a genesis and, for every validator, a folder with keys, settings and a systemd unit; and a compose file for all. One process sees every key: for a network of several parties each runs `svcd validator init`.',
    )
    .argument('<folder>', 'where to make it; there must be nothing')
    .option('--validators <n>', 'how many validators', '4')
    .option('--network <name>', 'whose rules the chain follows', 'development')
    .option('--hosts <list>', 'their hosts, with commas; one for all, or one for each', '127.0.0.1')
    .option('--start <time>', 'when the chain begins: 2027-01-31T12:00:00Z, or +15m', '+1m')
    .option('--port <n>', 'the first port; validators of one host are ten apart', '28700')
    .option('--pace-millis <n>', 'the time between cuts; 500 for development, else 2500')
    .action(async (folder: string, options: NewNetworkOptions) => {
      const { newNetwork } = await import('./network/new-network.ts');
      await newNetwork(folder, options);
    });
}

/** `svcd recovery`. */
function addRecoveryCommands(program: Command): void {
  const recovery = program
    .command('recovery')
    .summary('let a chain continue whose validators are lost')
    .description(
      'Makes and checks the file with which a chain continues when more than a third of the stake is lost for good. Every operator stops the node first; docs/operate/recovery.md has the whole procedure.',
    );
  const key = recovery
    .command('key')
    .summary('make a new consensus key and agree to a recovery with it')
    .description(
      'Makes the consensus key that replaces the one in use, with an empty record of signatures, and the statement in which both keys agree to a recovery from one cut. Refuses unless that cut is the last final one of the store here.',
    )
    .requiredOption('--at <height:cut_id>', 'the last final cut, as all operators agreed')
    .option('--key-file <file>', 'the consensus key in use; that of the configuration if absent')
    .option('--password-file <file>', 'the password of that key')
    .option(
      '--out <file>',
      'where the statement goes; recovery-statement.json in the data directory',
    );
  addConfigOptions(key, STORE_SETTINGS).action(async (options: CommandOptions) => {
    const { makeRecoveryKey } = await import('./recovery/recovery.ts');
    await makeRecoveryKey(options);
  });
  const assemble = recovery
    .command('assemble')
    .summary('join statements into a recovery file')
    .description(
      'Joins the statements of validators into a recovery file, checks it against the store here and shows what it says.',
    )
    .argument('<statement...>', 'files of `svcd recovery key`')
    .requiredOption('--out <file>', 'where the recovery file goes');
  addConfigOptions(assemble, STORE_SETTINGS).action(
    async (statements: string[], options: CommandOptions) => {
      const { assembleRecovery } = await import('./recovery/recovery.ts');
      await assembleRecovery(statements, options);
    },
  );
  const verify = recovery
    .command('verify')
    .summary('check a recovery file against the store here')
    .description(
      'Checks a recovery file against the store here: the same last cut, members of its committee with their stakes, by their consent and with keys that the chain has never seen. Shows them, their share of the stake, and the id to compare with others.',
    )
    .argument('<file>', 'the recovery file');
  addConfigOptions(verify, STORE_SETTINGS).action(async (file: string, options: CommandOptions) => {
    const { verifyRecovery } = await import('./recovery/recovery.ts');
    await verifyRecovery(file, options);
  });
}

/** `svcd run`. */
function addRunCommand(program: Command): void {
  const command = program
    .command('run')
    .summary('run a node')
    .description(
      'Runs a node until it is told to stop. Flags win over the environment, which wins over node.json.',
    );
  addConfigOptions(command)
    .option('--print-config', 'print the settings in force, and where each comes from, and end')
    .option(
      '--new-sign-state',
      'begin a new record of what the consensus key signed, silent for 48 cuts; only if the old record is lost for good',
    )
    .action(async (options: CommandOptions) => {
      const { runNode } = await import('./run/run-node.ts');
      await runNode(options);
    });
}

/** `svcd status`. */
function addStatusCommand(program: Command): void {
  const command = program
    .command('status')
    .summary('ask a running node how it is')
    .description(
      'Asks a running node how it is, and scores its health from 0 to 10 with reasons. Ends with 1 below 6, with 3 if the node cannot be reached.',
    )
    .option('--url <url>', 'the API of the node; the one of the configuration if absent')
    .option('--json', 'print everything as JSON');
  addConfigOptions(command, ['network', 'data_dir', 'http.bind']).action(
    async (options: CommandOptions) => {
      const { showStatus } = await import('./status/show-status.ts');
      await showStatus(options);
    },
  );
}

/** `svcd inspect`, `svcd repair` and `svcd reindex`, which work on the store of a node that does not run; and `svcd snapshot`. */
function addStoreCommands(program: Command): void {
  addInspect(program);
  addRepair(program);
  addReindex(program);
  addSnapshot(program);
}

function addInspect(program: Command): void {
  const command = program
    .command('inspect')
    .summary('look into the store of a node that does not run')
    .description(
      'Shows how far the store is, what it keeps and how large it is; or one thing in it.',
    )
    .argument('[kind]', 'cut, block or transaction')
    .argument('[id]', 'its id; for a cut also its height')
    .option('--json', 'print it as JSON');
  addConfigOptions(command, STORE_SETTINGS).action(
    async (kind: string | undefined, id: string | undefined, options: CommandOptions) => {
      const { inspect } = await import('./store/inspect.ts');
      await inspect(kind, id, options);
    },
  );
}

function addRepair(program: Command): void {
  const command = program
    .command('repair')
    .summary('mend a damaged store with what peers have')
    .description(
      'Reads every file and record. If something is damaged it builds a store of what is sound, turns single bits back, fetches headers, bodies and blocks from peers and proves them, makes tables anew that follow from others, executes the cuts of an archive again if it must, and puts the result in the place of the damaged store.',
    )
    .option('--keep-old', 'keep the damaged store beside the new one');
  const settings = [...STORE_SETTINGS, 'storage.mode', 'peers.bootstrap'] as const;
  addConfigOptions(command, settings).action(async (options: CommandOptions) => {
    const { repair } = await import('./store/repair.ts');
    await repair(options);
  });
}

function addReindex(program: Command): void {
  const command = program
    .command('reindex')
    .summary('build the store anew from its own blocks')
    .description(
      'Executes every cut of an archive again, holds every root against its header, and puts the new store in the place of the old one.',
    )
    .option('--keep-old', 'keep the old store beside the new one');
  addConfigOptions(command, STORE_SETTINGS).action(async (options: CommandOptions) => {
    const { reindexStore } = await import('./store/reindex-store.ts');
    await reindexStore(options);
  });
}

function addSnapshot(program: Command): void {
  const snapshot = program
    .command('snapshot')
    .summary('write the state to a file, or start from one')
    .description(
      'Writes the state of the head to a file, or fills an empty data directory from one.',
    );
  const made = snapshot
    .command('export <file>')
    .summary('write the state of the head to a file')
    .description(
      'Writes the state of the newest cut to a file, whether the node of the data directory runs or not, and prints the id of the cut.',
    );
  addConfigOptions(made, STORE_SETTINGS).action(async (file: string, options: CommandOptions) => {
    const { exportToFile } = await import('./store/snapshots.ts');
    await exportToFile(file, options);
  });
  const taken = snapshot
    .command('import <file>')
    .summary('start from the state in a file')
    .description(
      'Fills an empty data directory from a snapshot. The cut it claims to be of must be named, as it was read from a source you trust.',
    )
    .requiredOption('--trust-cut <id>', 'the id of the cut, from a node or person you trust');
  addConfigOptions(taken, [...STORE_SETTINGS, 'storage.mode']).action(
    async (file: string, options: CommandOptions) => {
      const { importFromFile } = await import('./store/snapshots.ts');
      await importFromFile(file, options);
    },
  );
}

/** `svcd validator init`, `svcd validator-endpoint` and `svcd validator-check`. */
function addValidatorCommands(program: Command): void {
  addInitCommand(program);
  const endpoint = program
    .command('validator-endpoint')
    .summary('make overlay keys and print the endpoint to register')
    .description(
      'Creates the overlay keys of a validator in network/validator-overlay of the data directory, if they are not there yet, and prints its endpoint as one line of hex.',
    )
    .option(
      '--route <host[:port]>',
      'where other validators reach it, for TCP and QUIC (this release uses TCP); up to four',
      repeated,
    );
  addConfigOptions(endpoint, ['network', 'data_dir']).action(async (options: CommandOptions) => {
    const { printEndpoint } = await import('./validator/init-validator.ts');
    await printEndpoint(options);
  });
  const check = program
    .command('validator-check')
    .summary('check a node before it becomes a validator')
    .description(
      'Checks everything that a validator needs: the configuration, the key files, the disk and, if it runs, the node. Ends with 1 if something is missing.',
    )
    .option('--url <url>', 'the API of the node; the one of the configuration if absent')
    .option('--json', 'print the checks as JSON');
  addConfigOptions(check).action(async (options: CommandOptions) => {
    const { checkValidator } = await import('./validator/check-validator.ts');
    await checkValidator(options);
  });
}

function addInitCommand(program: Command): void {
  const init = program
    .command('validator')
    .summary('make the keys of a new validator')
    .description('Makes what a new validator needs.')
    .command('init')
    .summary('make keys, settings and the application for a genesis')
    .description(
      'Makes the folder of a new validator in the data directory: consensus key and fee key, each sealed under a password of its own, overlay keys, an empty record of signatures, node.json, and application.json, the signed file for whoever makes the genesis. Nothing is written over.',
    )
    .option('--owner <address>', 'the address of your wallet that owns the stake')
    .option('--reward <address>', 'where rewards go; the owner if absent')
    .option('--stake <coins>', 'the stake in coins', '100000')
    .option('--commission-bps <n>', 'hundredths of a percent kept of rewards', '500')
    .option('--route <host[:port]>', 'where other validators reach it; up to four', repeated)
    .option('--json', 'print the result as JSON');
  addSettingOptions(init, ['network', 'data_dir']).action(async (options: CommandOptions) => {
    const { initValidator } = await import('./validator/init-validator.ts');
    await initValidator(options);
  });
}

export const SHORT_HELP = `svcd runs a node of the svc ledger.

  svcd dev       a private network with funded accounts, for development
  svcd run       a node
  svcd status    how a running node is

svcd --help lists every command.
`;

export function buildProgram(): Command {
  const program = createProgram({
    name: 'svcd',
    description: 'A node of the svc ledger.',
    release: VERSION,
  });
  addRunCommand(program);
  addDevCommand(program);
  addGenesisCommand(program);
  addNetworkCommand(program);
  addStatusCommand(program);
  addStoreCommands(program);
  addValidatorCommands(program);
  addRecoveryCommands(program);
  return program;
}
