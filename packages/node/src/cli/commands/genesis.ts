/** `svcd genesis`. */
import type { Command } from 'commander';
import type { CheckOptions } from '../genesis/check-genesis.ts';
import type { MakeOptions } from '../genesis/make-genesis.ts';
import { repeated } from '../repeated.ts';

export function addGenesisCommand(program: Command): void {
  const genesis = program
    .command('genesis')
    .summary('collect validators, make or check a genesis document')
    .description(
      'The ceremony before a chain: collects the applications of its validators, makes the genesis document, and checks it.',
    );
  genesis
    .command('add')
    .summary('check applications of validators and collect them')
    .description(
      'Checks application files of `svcd validator init` and copies them into a folder, out of which `svcd genesis make --applications` makes the document.',
    )
    .argument('<folder>', 'where applications are collected')
    .argument('<file...>', 'applications')
    .action(async (folder: string, files: string[]) => {
      const { addApplications } = await import('../genesis/add-applications.ts');
      await addApplications(folder, files);
    });
  genesis
    .command('check')
    .summary('check a document and print its chain id')
    .description(
      'Checks whether a chain can start from a document and prints the chain id, which names everything in it; shows the validators with their ids, stakes and routes, the state root, and whatever is odd. All who start the chain compare the chain id.',
    )
    .argument('<file>', 'the genesis document')
    .option('--json', 'print what it says as JSON')
    .action(async (file: string, options: CheckOptions) => {
      const { checkGenesisFile } = await import('../genesis/check-genesis.ts');
      await checkGenesisFile(file, options);
    });
  genesis
    .command('make')
    .summary('make the document of a new chain')
    .description(
      'Makes a genesis document. Outputs and bonds sum to 20,000,000 coins; --rest takes what is left.',
    )
    .option(
      '--network <name>',
      'whose rules the chain follows; that of the applications, or development',
    )
    .option('--start <time>', 'when the chain begins: 2027-01-31T12:00:00Z, or +15m; in the future')
    .option('--applications <folder>', 'the validators that `svcd genesis add` collected')
    .option('--heartbeat-coins <coins>', 'what each application gets for its heartbeats', '100')
    .option('--output <address=coins>', 'a first output; may be repeated', repeated)
    .option(
      '--validator <file>',
      'a validator as in the document, in a file; may be repeated',
      repeated,
    )
    .option('--rest <address>', 'the address that gets what is left')
    .option('--pace-millis <n>', 'the time between cuts; 500 for development, else 2500')
    .option('--work-target <hex>', 'the first target of proof of work; the easiest if absent')
    .option('--out <file>', 'write the document there and print the chain id')
    .action(async (options: MakeOptions) => {
      const { makeGenesisFile } = await import('../genesis/make-genesis.ts');
      await makeGenesisFile(options);
    });
}
