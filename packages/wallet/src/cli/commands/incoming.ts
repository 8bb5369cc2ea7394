/**
 * Commands of the group `incoming`: what came in, and what the chain knows of the wallet.
 */

import { type Command, Option } from 'commander';
import {
  addExamples,
  addSessionOptions,
  type CommandOptions,
  momentOf,
  usage,
  whole,
} from '../options.ts';
import { type CommandRows, count, needed, PAGE_LIMIT, text } from './row.ts';

export const INCOMING_COMMANDS = {
  history: {
    summary: 'list what came in and went out, the newest first',
    options: [
      PAGE_LIMIT,
      text('--cursor <cursor>', 'go on with the next page', 'cursor'),
      count(
        '--before-height <n>',
        'only what is older',
        'before_height',
        0,
        Number.MAX_SAFE_INTEGER,
      ),
    ],
    examples: ['history --limit 20', 'history --before-height 40000 --json'],
  },
  received: {
    summary: 'list payments that came in after a height, the oldest first',
    options: [
      {
        ...count(
          '--since-height <n>',
          'only what is newer (0 for everything)',
          'since_height',
          0,
          Number.MAX_SAFE_INTEGER,
        ),
        isRequired: true,
      },
      { ...PAGE_LIMIT, kind: [1, 10_000] },
      text(
        '--cursor <cursor>',
        '0 lets a page end within a height; then go on with the next page',
        'cursor',
      ),
    ],
    examples: ['received --since-height 0 --json', 'received --since-height 5122 --limit 100'],
  },
  outputs: {
    summary: 'list unspent outputs, the oldest first',
    options: [
      PAGE_LIMIT,
      text('--address <address>', 'only those of this address', 'address'),
      text('--cursor <cursor>', 'go on with the next page', 'cursor'),
    ],
    examples: ['outputs --limit 20', 'outputs --address dsvc1… --json'],
  },
  transaction: {
    summary: 'show one transaction of the wallet',
    options: [needed('--transaction <id>', 'its id', 'transaction')],
    examples: ['transaction --transaction <id>'],
  },
} as const satisfies CommandRows;

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
    const { showStatement } = await import('../run/statement.ts');
    await showStatement(options);
  });
}
