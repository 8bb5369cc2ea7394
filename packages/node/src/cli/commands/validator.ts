/** `svcd validator init`, `svcd validator-endpoint` and `svcd validator-check`. */
import type { Command } from 'commander';
import { addConfigOptions, addSettingOptions, type CommandOptions } from '../config-options.ts';
import { repeated } from '../repeated.ts';

export function addValidatorCommands(program: Command): void {
  addInitCommand(program);
  const endpoint = program
    .command('validator-endpoint')
    .summary('make overlay keys and print the endpoint to register')
    .description(
      'Creates the overlay keys of a validator in network/validator-overlay of the data directory, if they are not there yet, and prints its endpoint as one line of hex.',
    )
    .option(
      '--route <host[:port]>',
      'where other validators reach it, for TCP and QUIC (this release uses TCP); up to four',
      repeated,
    );
  addConfigOptions(endpoint, ['network', 'data_dir']).action(async (options: CommandOptions) => {
    const { printEndpoint } = await import('../validator/print-endpoint.ts');
    await printEndpoint(options);
  });
  const check = program
    .command('validator-check')
    .summary('check a node before it becomes a validator')
    .description(
      'Checks everything that a validator needs: the configuration, the key files, the disk and, if it runs, the node. Ends with 1 if something is missing.',
    )
    .option('--url <url>', 'the API of the node; the one of the configuration if absent')
    .option('--json', 'print the checks as JSON');
  addConfigOptions(check).action(async (options: CommandOptions) => {
    const { checkValidator } = await import('../validator/check-validator.ts');
    await checkValidator(options);
  });
}

function addInitCommand(program: Command): void {
  const init = program
    .command('validator')
    .summary('make the keys of a new validator')
    .description('Makes what a new validator needs.')
    .command('init')
    .summary('make keys, settings and the application for a genesis')
    .description(
      'Makes the folder of a new validator in the data directory: consensus key and fee key, each sealed under a password of its own, overlay keys, an empty record of signatures, node.json, and application.json, the signed file for whoever makes the genesis. Nothing is written over.',
    )
    .option('--owner <address>', 'the address of your wallet that owns the stake')
    .option('--reward <address>', 'where rewards go; the owner if absent')
    .option('--stake <coins>', 'the stake in coins', '100000')
    .option('--commission-bps <n>', 'hundredths of a percent kept of rewards', '500')
    .option('--route <host[:port]>', 'where other validators reach it; up to four', repeated)
    .option('--json', 'print the result as JSON');
  addSettingOptions(init, ['network', 'data_dir']).action(async (options: CommandOptions) => {
    const { initValidator } = await import('../validator/init-validator.ts');
    await initValidator(options);
  });
}
