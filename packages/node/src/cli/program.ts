/**
 * The tree of commands. Only definitions are loaded here; what a command does is loaded when it is called,
 * so that help comes at once.
 */
import type { Command } from 'commander';
import { createProgram } from 'svc-base/cli';
import { VERSION } from '../version.ts';
import { addDevCommand } from './commands/dev.ts';
import { addGenesisCommand } from './commands/genesis.ts';
import { addNetworkCommand } from './commands/network.ts';
import { addRecoveryCommands } from './commands/recovery.ts';
import { addRunCommand } from './commands/run.ts';
import { addStatusCommand } from './commands/status.ts';
import { addStoreCommands } from './commands/store.ts';
import { addValidatorCommands } from './commands/validator.ts';

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
