/** `svcd recovery`. */
import type { Command } from 'commander';
import { addConfigOptions, type CommandOptions, STORE_SETTINGS } from '../config-options.ts';

export function addRecoveryCommands(program: Command): void {
  const recovery = program
    .command('recovery')
    .summary('let a chain continue whose validators are lost')
    .description(
      'Makes and checks the file with which a chain continues when more than a third of the stake is lost for good. Every operator stops the node first; docs/operate/recovery.md has the whole procedure.',
    );
  const key = recovery
    .command('key')
    .summary('make a new consensus key and agree to a recovery with it')
    .description(
      'Makes the consensus key that replaces the one in use, with an empty record of signatures, and the statement in which both keys agree to a recovery from one cut. Refuses unless that cut is the last final one of the store here.',
    )
    .requiredOption('--at <height:cut_id>', 'the last final cut, as all operators agreed')
    .option('--key-file <file>', 'the consensus key in use; that of the configuration if absent')
    .option('--password-file <file>', 'the password of that key')
    .option(
      '--out <file>',
      'where the statement goes; recovery-statement.json in the data directory',
    );
  addConfigOptions(key, STORE_SETTINGS).action(async (options: CommandOptions) => {
    const { makeRecoveryKey } = await import('../recovery/make-key.ts');
    await makeRecoveryKey(options);
  });
  const assemble = recovery
    .command('assemble')
    .summary('join statements into a recovery file')
    .description(
      'Joins the statements of validators into a recovery file, checks it against the store here and shows what it says.',
    )
    .argument('<statement...>', 'files of `svcd recovery key`')
    .requiredOption('--out <file>', 'where the recovery file goes');
  addConfigOptions(assemble, STORE_SETTINGS).action(
    async (statements: string[], options: CommandOptions) => {
      const { assembleRecovery } = await import('../recovery/assemble.ts');
      await assembleRecovery(statements, options);
    },
  );
  const verify = recovery
    .command('verify')
    .summary('check a recovery file against the store here')
    .description(
      'Checks a recovery file against the store here: the same last cut, members of its committee with their stakes, by their consent and with keys that the chain has never seen. Shows them, their share of the stake, and the id to compare with others.',
    )
    .argument('<file>', 'the recovery file');
  addConfigOptions(verify, STORE_SETTINGS).action(async (file: string, options: CommandOptions) => {
    const { verifyRecovery } = await import('../recovery/verify.ts');
    await verifyRecovery(file, options);
  });
}
