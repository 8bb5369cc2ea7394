/** `svcd run`. */
import type { Command } from 'commander';
import { addConfigOptions, type CommandOptions } from '../config-options.ts';

export function addRunCommand(program: Command): void {
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
      const { runNode } = await import('../run/run-node.ts');
      await runNode(options);
    });
}
