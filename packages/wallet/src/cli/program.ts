/**
 * The tree of commands. Only definitions are loaded here; what a command does is loaded when it is called,
 * so that help comes at once.
 */
import type { Command } from 'commander';
import { createProgram } from 'svc-base/cli';
import { VERSION } from '../version.ts';
import { ADDRESSES_COMMANDS, addAddressCommands } from './commands/addresses.ts';
import { addAuditCommand, addDaemonCommand, addTokenCommands } from './commands/daemon.ts';
import { addStatementCommand, INCOMING_COMMANDS } from './commands/incoming.ts';
import { addInitCommand, addPasswordCommand } from './commands/init.ts';
import { addOfflineCommands } from './commands/offline.ts';
import { OUTGOING_COMMANDS } from './commands/outgoing.ts';
import { addEvidenceCommand, OWNERSHIP_COMMANDS } from './commands/ownership.ts';
import { addRows } from './commands/row.ts';
import { addSharedCommands } from './commands/shared.ts';
import { STAKING_COMMANDS } from './commands/staking.ts';
import { addKeyCommands, VALIDATOR_COMMANDS } from './commands/validator.ts';
import { WALLET_COMMANDS } from './commands/wallet.ts';
import { addWatchCommands } from './commands/watch.ts';

export const SHORT_HELP = `svc-wallet holds coins of the svc ledger.

  svc-wallet init       make a wallet, or restore one from its words
  svc-wallet balance    what it holds
  svc-wallet send       pay an address
  svc-wallet daemon     serve a program: deposits and withdrawals by JSON-RPC

svc-wallet --help lists every command.
`;

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
