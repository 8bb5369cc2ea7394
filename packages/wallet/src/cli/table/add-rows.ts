/**
 * Adds the rows of the table to the program.
 */
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';
import type { CommandOptions } from '../values.ts';
import { addFeeOption, addFileOptions, addNodeOptions } from '../wallet-options.ts';
import { type CommandRow, type CommandRows, optionOf } from './row.ts';

export function addRows(program: Command, rows: CommandRows): void {
  for (const row of Object.values(rows)) addRow(program, row);
}

function addRow(program: Command, row: CommandRow): void {
  const command = program.command(row.name).summary(row.summary);
  command.description(row.description ?? sentence(row.summary));
  for (const option of row.options) command.addOption(optionOf(option));
  if (row.question !== undefined) addMovingOptions(command);
  addExamples(addSessionOptions(command), row.examples).action(async (options: CommandOptions) => {
    const { executeCommand } = await import('../execute/execute-command.ts');
    await executeCommand(row, options);
  });
}

/** Options of every command that calls the wallet. */
export function addSessionOptions(command: Command): Command {
  addNodeOptions(addFileOptions(command));
  return command
    .option('--token-file <file>', "the daemon's token, where a daemon holds the wallet")
    .option('--json', 'print the result as JSON');
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
