/**
 * The tree of commands. Only definitions are loaded here; what a command does is loaded when it is called,
 * so that help comes at once.
 */
import { Command } from 'commander';
import { addDevCommand } from './commands/dev.ts';
import { addGenesisCommand } from './commands/genesis.ts';
import { addRunCommand } from './commands/run.ts';
import { addStatusCommand } from './commands/status.ts';
import { addStoreCommands } from './commands/store.ts';
import { addValidatorCommands } from './commands/validator.ts';
import { nodeVersion } from './version.ts';

export const SHORT_HELP = `svcd runs a node of the svc ledger.

  svcd dev       a private network with funded accounts, for development
  svcd run       a node
  svcd status    how a running node is

svcd --help lists every command.
`;

export function buildProgram(): Command {
  const program = new Command('svcd')
    .description('A node of the svc ledger.')
    .version(`svcd ${nodeVersion()}`, '--version', 'print the release')
    .helpOption('--help', 'print this')
    .helpCommand('help [command]', 'print help for a command')
    .option('--no-color', 'no colours, as NO_COLOR does')
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
    .showHelpAfterError('`svcd --help` lists commands and options')
    .exitOverride();
  addRunCommand(program);
  addDevCommand(program);
  addGenesisCommand(program);
  addStatusCommand(program);
  addStoreCommands(program);
  addValidatorCommands(program);
  return program;
}
