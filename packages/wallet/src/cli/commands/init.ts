/** `svc-wallet init`. */
import type { Command } from 'commander';
import { addExamples, addFileOptions, lazily } from '../options.ts';

export function addInitCommand(program: Command): void {
  const command = program
    .command('init')
    .summary('make a wallet, or restore one from its words')
    .description(
      'Makes a wallet file and shows its 24 recovery words once. Who has the words has the coins, and there is no other way to get them back: write them down. Nothing is ever written over an existing wallet.',
    );
  addFileOptions(command)
    .option('--generate-password', 'make a random password and keep it beside the wallet file')
    .option('--restore', 'ask for the words of the wallet to restore')
    .option('--words-file <file>', 'restore from the words in a file; - for standard input')
    .option('--passphrase-file <file>', 'holds the passphrase of BIP-39 that goes with the words')
    .option(
      '--show-words',
      'print new words also where no terminal is, as --generate-password does',
    )
    .option('--json', 'print the result as JSON')
    .action(lazily(() => import('../run/init.ts'), 'makeWallet'));
  addExamples(command, [
    'init --generate-password',
    'init --restore --file cold-wallet',
    'init --words-file - --generate-password --network testnet --no-input --json',
  ]);
}

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
    .action(lazily(() => import('../run/init.ts'), 'changePassword'));
  addExamples(command, ['password-change', 'password-change --new-password-file new.password']);
}
