/** Commands that write key files for a validator's node. */
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';
import { optionOf } from '../table/row.ts';
import { KEY_INDEX } from '../table/validator.ts';
import { type CommandOptions, whole } from '../values.ts';
import { addFileOptions } from '../wallet-options.ts';

const FEE_KEY_INDEX_MAX = 65_535;

export function addKeyCommands(program: Command): void {
  const consensus = program
    .command('validator-key-export')
    .summary('write the consensus key of a validator')
    .description(
      'Writes the consensus key, encrypted under the password in a file; a password file that is not there is made. One key may sign on one machine only.',
    )
    .requiredOption('--validator-key-file <file>', 'where the key goes; must not be there yet')
    .requiredOption('--validator-key-password-file <file>', 'its password')
    .addOption(optionOf(KEY_INDEX));
  addFileOptions(consensus)
    .option('--json', 'print the result as JSON')
    .action(async (options: CommandOptions) => {
      const { exportConsensusKey } = await import('../keys/export-keys.ts');
      await exportConsensusKey(options);
    });
  addExamples(consensus, [
    'validator-key-export --validator-key-file consensus.key --validator-key-password-file consensus.password',
  ]);
  const fee = program
    .command('validator-heartbeat-fee-key-export')
    .summary('write the key that pays for heartbeats')
    .description(
      'Writes the fee key, encrypted under the password in a file, and shows its address. Send a few coins there: the node pays its heartbeats from them. They do not count as coins of this wallet.',
    )
    .requiredOption('--heartbeat-fee-key-file <file>', 'where the key goes; must not be there yet')
    .requiredOption('--heartbeat-fee-key-password-file <file>', 'its password')
    .option(
      '--heartbeat-fee-key-index <n>',
      'which fee key, for an owner of several validators (default: 0)',
      whole('--heartbeat-fee-key-index', 0, FEE_KEY_INDEX_MAX),
    );
  addFileOptions(fee)
    .option('--json', 'print the result as JSON')
    .action(async (options: CommandOptions) => {
      const { exportFeeKey } = await import('../keys/export-keys.ts');
      await exportFeeKey(options);
    });
  addExamples(fee, [
    'validator-heartbeat-fee-key-export --heartbeat-fee-key-file fee.key --heartbeat-fee-key-password-file fee.password',
  ]);
}
