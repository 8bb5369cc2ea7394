/**
 * Commands of the group `incoming`: what came in, and what the chain knows of the wallet.
 */

import { type Command, Option } from 'commander';
import { addExamples, type CommandOptions, momentOf, usage, whole } from '../options.ts';
import { addSessionOptions, type CommandRows, PAGE_LIMIT } from './row.ts';

export const INCOMING_COMMANDS = {
  history: {
    name: 'history',
    method: 'history',
    summary: 'list what came in and went out, the newest first',
    options: [
      PAGE_LIMIT,
      { flags: '--cursor <cursor>', about: 'go on with the next page', param: 'cursor' },
      {
        flags: '--before-height <n>',
        about: 'only what is older',
        param: 'before_height',
        kind: [0, Number.MAX_SAFE_INTEGER],
      },
    ],
    examples: ['history --limit 20', 'history --before-height 40000 --json'],
  },
  received: {
    name: 'received',
    method: 'received',
    summary: 'list payments that came in after a height, the oldest first',
    options: [
      {
        flags: '--since-height <n>',
        about: 'only what is newer (0 for everything)',
        param: 'since_height',
        kind: [0, Number.MAX_SAFE_INTEGER],
        isRequired: true,
      },
      { ...PAGE_LIMIT, kind: [1, 10_000] },
      {
        flags: '--cursor <cursor>',
        about: '0 lets a page end within a height; then go on with the next page',
        param: 'cursor',
      },
    ],
    examples: ['received --since-height 0 --json', 'received --since-height 5122 --limit 100'],
  },
  outputs: {
    name: 'outputs',
    method: 'outputs',
    summary: 'list unspent outputs, the oldest first',
    options: [
      PAGE_LIMIT,
      { flags: '--address <address>', about: 'only those of this address', param: 'address' },
      { flags: '--cursor <cursor>', about: 'go on with the next page', param: 'cursor' },
    ],
    examples: ['outputs --limit 20', 'outputs --address dsvc1… --json'],
  },
  transaction: {
    name: 'transaction',
    method: 'transaction',
    summary: 'show one transaction of the wallet',
    options: [
      {
        flags: '--transaction <id>',
        about: 'its id',
        param: 'transaction',
        isRequired: true,
      },
    ],
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
