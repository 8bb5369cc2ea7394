/** `svc-wallet password-change`. */
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';
import type { CommandOptions } from '../values.ts';
import { addFileOptions } from '../wallet-options.ts';

export function addPasswordCommand(program: Command): void {
  const command = program
    .command('password-change')
    .summary('seal the wallet file under another password')
    .description(
      'Seals the wallet file under another password. The words stay the same, so that whoever had the file and its old password still has the coins. A daemon that runs goes on; it needs the new password when it starts again.',
    )
    .option(
      '--new-password-file <file>',
      'holds the new password; made with a random one if it is not there; else you are asked',
    );
  addFileOptions(command)
    .option('--json', 'print the result as JSON')
    .action(async (options: CommandOptions) => {
      const { changePassword } = await import('../init/change-password.ts');
      await changePassword(options);
    });
  addExamples(command, ['password-change', 'password-change --new-password-file new.password']);
}
