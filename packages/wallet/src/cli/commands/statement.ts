/** `svc-wallet statement`. */
import { type Command, Option } from 'commander';
import { addExamples } from '../examples.ts';
import { addSessionOptions } from '../table/add-rows.ts';
import { type CommandOptions, momentOf, usage, whole } from '../values.ts';

const height = (flag: string): ((text: string) => number) =>
  whole(flag, 0, Number.MAX_SAFE_INTEGER);

export function addStatementCommand(program: Command): void {
  const command = program
    .command('statement')
    .summary('export a period: every change, between two balances')
    .description(
      'Prints every final transaction of a period as CSV, with the balance after each; the first line is the balance before the period. With --json, one document. The changes add up to the difference of the balances, to the atom.',
    )
    .addOption(
      new Option('--from-height <n>', 'the first height').argParser(height('--from-height')),
    )
    .addOption(
      new Option('--from-date <date>', 'the first day, or the time from which on (UTC)')
        .argParser(momentOf('--from-date', 'begin'))
        .conflicts('fromHeight'),
    )
    .addOption(
      new Option('--to-height <n>', 'the last height (default: the newest)').argParser(
        height('--to-height'),
      ),
    )
    .addOption(
      new Option('--to-date <date>', 'the last day, or the time before which (UTC)')
        .argParser(momentOf('--to-date', 'end'))
        .conflicts('toHeight'),
    );
  addExamples(addSessionOptions(command), [
    'statement --from-height 0',
    'statement --from-date 2026-11-01 --to-date 2026-11-30',
    'statement --from-height 40000 --to-height 49999 --json',
  ]).action(async (options: CommandOptions) => {
    if (options['fromHeight'] === undefined && options['fromDate'] === undefined)
      throw usage('a period begins with --from-height or --from-date');
    const { showStatement } = await import('../execute/show-statement.ts');
    await showStatement(options);
  });
}
