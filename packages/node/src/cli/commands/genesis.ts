/** `svcd genesis`. */
import type { Command } from 'commander';
import type { CheckOptions } from '../genesis/check-genesis.ts';
import type { MakeOptions } from '../genesis/make-genesis.ts';
import { repeated } from '../repeated.ts';

export function addGenesisCommand(program: Command): void {
  const genesis = program
    .command('genesis')
    .summary('make or check a genesis document')
    .description('Makes the genesis document of a private network, or checks one.');
  genesis
    .command('check')
    .summary('check a document and print its chain id')
    .argument('<file>', 'the genesis document')
    .option('--json', 'print what it says as JSON')
    .action(async (file: string, options: CheckOptions) => {
      const { checkGenesisFile } = await import('../genesis/check-genesis.ts');
      await checkGenesisFile(file, options);
    });
  genesis
    .command('make')
    .summary('make a document for a private network')
    .description(
      'Makes a genesis document. Outputs and bonds sum to 20,000,000 coins; --rest takes what is left.',
    )
    .option('--network <name>', 'whose rules the chain follows', 'development')
    .option('--output <address=coins>', 'a first output; may be repeated', repeated)
    .option(
      '--validator <file>',
      'a validator as in the document, in a file; may be repeated',
      repeated,
    )
    .option('--rest <address>', 'the address that gets what is left')
    .option('--time-millis <n>', 'the time of the genesis; now if absent')
    .option('--pace-millis <n>', 'the time between cuts; 500 for development, else 2500')
    .option('--work-target <hex>', 'the first target of proof of work; the easiest if absent')
    .option('--out <file>', 'write the document there and print the chain id')
    .action(async (options: MakeOptions) => {
      const { makeGenesisFile } = await import('../genesis/make-genesis.ts');
      await makeGenesisFile(options);
    });
}
