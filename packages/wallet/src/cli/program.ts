/**
 * The tree of commands. Only definitions are loaded here; what a command does is loaded when it is called,
 * so that help comes at once.
 */
import type { Command } from 'commander';
import { createProgram } from 'svc-base/cli';
import { VERSION } from '../version.ts';
import { addAddressCommands } from './commands/addresses.ts';
import { addAuditCommand } from './commands/audit.ts';
import { addDaemonCommand } from './commands/daemon.ts';
import { addEvidenceCommand } from './commands/evidence.ts';
import { addInitCommand } from './commands/init.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addOfflineCommands } from './commands/offline.ts';
import { addPasswordCommand } from './commands/password.ts';
import { addSharedCommands } from './commands/shared.ts';
import { addStatementCommand } from './commands/statement.ts';
import { addTokenCommands } from './commands/tokens.ts';
import { addWatchCommands } from './commands/watch.ts';
import { addRows } from './table/add-rows.ts';
import { ADDRESSES_COMMANDS } from './table/addresses.ts';
import { INCOMING_COMMANDS } from './table/incoming.ts';
import { OUTGOING_COMMANDS } from './table/outgoing.ts';
import { OWNERSHIP_COMMANDS } from './table/ownership.ts';
import { STAKING_COMMANDS } from './table/staking.ts';
import { VALIDATOR_COMMANDS } from './table/validator.ts';
import { WALLET_COMMANDS } from './table/wallet.ts';

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
