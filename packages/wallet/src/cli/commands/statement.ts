/** `svc-wallet statement`. */
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';
import { addSessionOptions } from '../table/add-rows.ts';
import { type CommandOptions, whole } from '../values.ts';

const height = (flag: string): ((text: string) => number) =>
  whole(flag, 0, Number.MAX_SAFE_INTEGER);

export function addStatementCommand(program: Command): void {
  const command = program
    .command('statement')
    .summary('export a period: every change, between two balances')
    .description(
      'Prints every final transaction of a period as CSV, with the balance after each; the first line is the balance before the period. With --json, one document. The changes add up to the difference of the balances, to the atom.',
    )
    .requiredOption('--from-height <n>', 'the first height', height('--from-height'))
    .option('--to-height <n>', 'the last height (default: the newest)', height('--to-height'));
  addExamples(addSessionOptions(command), [
    'statement --from-height 0',
    'statement --from-height 40000 --to-height 49999 --json',
  ]).action(async (options: CommandOptions) => {
    const { showStatement } = await import('../execute/show-statement.ts');
    await showStatement(options);
  });
}
