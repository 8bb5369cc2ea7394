/**
 * The tree of commands. Only definitions are loaded here; what a command does is loaded when it is called,
 * so that help comes at once.
 */
import type { Command } from 'commander';
import type { MethodName } from 'svc-api/rpc';
import { createProgram } from 'svc-base/cli';
import { VERSION } from '../version.ts';
import { ADDRESSES_COMMANDS, addAddressCommands } from './commands/addresses.ts';
import { addAuditCommand, addDaemonCommand, addTokenCommands } from './commands/daemon.ts';
import { addStatementCommand, INCOMING_COMMANDS } from './commands/incoming.ts';
import { addInitCommand, addPasswordCommand } from './commands/init.ts';
import { addOfflineCommands } from './commands/offline.ts';
import { OUTGOING_COMMANDS } from './commands/outgoing.ts';
import { addEvidenceCommand, OWNERSHIP_COMMANDS } from './commands/ownership.ts';
import { type CommandRow, type CommandRows, type NamedRow, optionOf } from './commands/row.ts';
import { addSharedCommands } from './commands/shared.ts';
import { STAKING_COMMANDS } from './commands/staking.ts';
import { addKeyCommands, VALIDATOR_COMMANDS } from './commands/validator.ts';
import { WALLET_COMMANDS } from './commands/wallet.ts';
import { addWatchCommands } from './commands/watch.ts';
import { addExamples, addFeeOption, addSessionOptions, type CommandOptions } from './options.ts';

export const SHORT_HELP = `svc-wallet holds coins of the svc ledger.

  svc-wallet init       make a wallet, or restore one from its words
  svc-wallet balance    what it holds
  svc-wallet send       pay an address
  svc-wallet daemon     serve a program: deposits and withdrawals by JSON-RPC

svc-wallet --help lists every command.
`;

/** For every method its row, the command written by hand that calls it, or null where people need none. */
export const COMMANDS: { readonly [N in MethodName]: CommandRow<N> | string | null } = {
  ...WALLET_COMMANDS,
  ...ADDRESSES_COMMANDS,
  ...{ new_address: 'address', receive: 'receive' },
  ...INCOMING_COMMANDS,
  ...{ statement: 'statement', incoming: null },
  ...OUTGOING_COMMANDS,
  ...STAKING_COMMANDS,
  ...OWNERSHIP_COMMANDS,
  ...{ shared_propose: 'shared-propose', shared_review: 'shared-review' },
  ...{ shared_sign: 'shared-sign', shared_submit: 'shared-submit' },
  ...{ subscribe: null, unsubscribe: null },
  ...VALIDATOR_COMMANDS,
};

export function buildProgram(): Command {
  const program = createProgram({
    name: 'svc-wallet',
    description: 'A wallet of the svc ledger.',
    release: VERSION,
  });
  addInitCommand(program);
  addPasswordCommand(program);
  addRows(program, WALLET_COMMANDS);
  addAddressCommands(program);
  addRows(program, ADDRESSES_COMMANDS);
  addRows(program, INCOMING_COMMANDS);
  addStatementCommand(program);
  addRows(program, OUTGOING_COMMANDS);
  addRows(program, STAKING_COMMANDS);
  addRows(program, OWNERSHIP_COMMANDS);
  addOfflineCommands(program);
  addSharedCommands(program);
  addWatchCommands(program);
  addEvidenceCommand(program);
  addDaemonCommand(program);
  addTokenCommands(program);
  addAuditCommand(program);
  addRows(program, VALIDATOR_COMMANDS);
  addKeyCommands(program);
  return program;
}

function addRows(program: Command, rows: CommandRows): void {
  for (const [method, row] of Object.entries(rows) as [MethodName, CommandRow][]) {
    addRow(program, { ...row, method, name: method.replaceAll('_', '-') });
  }
}

function addRow(program: Command, row: NamedRow): void {
  const command = program.command(row.name).summary(row.summary);
  command.description(row.description ?? sentence(row.summary));
  for (const option of row.options) command.addOption(optionOf(option));
  if (row.question !== undefined) addMovingOptions(command);
  addExamples(addSessionOptions(command), row.examples).action(async (options: CommandOptions) => {
    const { executeCommand } = await import('./run/rows.ts');
    await executeCommand(row, options);
  });
}

function addMovingOptions(command: Command): void {
  command
    .option(
      '--request-id <text>',
      'your own name for the request; a name is carried out once (default: a random one)',
    )
    .option('--wait', 'wait until the outcome is final')
    .option('--dry-run', 'show what would be done; nothing is signed, kept or sent')
    .option('-y, --yes', 'do not ask');
  addFeeOption(command);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
