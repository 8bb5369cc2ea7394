/** `svcd status`. */
import type { Command } from 'commander';
import { addConfigOptions, type CommandOptions } from '../config-options.ts';

export function addStatusCommand(program: Command): void {
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
      const { showStatus } = await import('../status/show-status.ts');
      await showStatus(options);
    },
  );
}
