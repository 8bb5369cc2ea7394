/**
 * Commands that call one method of the wallet: a row says which options become which parameters. The compiler checks
 * a row against the contract: its parameters are the method's, and a command that pays asks first.
 */
import { type Command, Option } from 'commander';
import type { MethodName, MethodParams, PayingMethodName } from 'svc-api/rpc';
import {
  addExamples,
  addFeeOption,
  addFileOptions,
  addNodeOptions,
  type CommandOptions,
  repeated,
  whole,
} from '../options.ts';

export interface OptionRow<Param extends string = string> {
  readonly flags: string;
  readonly about: string;
  /** The parameter of the method. */
  readonly param: Param;
  /**
   * Text unless given; `document` is JSON from a file, or from standard input for `-`; `pairs` and `recipients` are
   * lists of who is paid, from options and from a file.
   */
  readonly kind?:
    | 'flag'
    | 'document'
    | 'pairs'
    | 'recipients'
    | readonly [min: number, max: number];
  readonly isRequired?: true;
}

interface RowFields<N extends MethodName> {
  readonly name: string;
  readonly method: N;
  readonly summary: string;
  readonly description?: string;
  readonly options: readonly OptionRow<keyof MethodParams<N> & string>[];
  /** Works without a node. */
  readonly isOffline?: true;
  /** Command lines without the name of the program. */
  readonly examples: readonly string[];
}

/** Commands that pay have a request id, a dry run, a wait and a question that a person is asked before money moves. */
export type CommandRow<N extends MethodName = MethodName> = N extends PayingMethodName
  ? RowFields<N> & { readonly question: string }
  : RowFields<N> & { readonly question?: undefined };

/** Rows of a group, by method. */
export type CommandRows = { readonly [N in MethodName]?: CommandRow<N> };

export const FEE_PER_MASS: OptionRow<'fee_per_mass'> = {
  flags: '--fee-per-mass <atoms>',
  about: "what each unit of mass pays (default: the chain's least)",
  param: 'fee_per_mass',
};

export const VALIDATOR: OptionRow<'validator'> = {
  flags: '--validator <id>',
  about: 'the validator',
  param: 'validator',
  isRequired: true,
};

export const POSITION: OptionRow<'position'> = {
  flags: '--position <id>',
  about: 'the position, as `positions` lists it',
  param: 'position',
  isRequired: true,
};

export const PAGE_LIMIT: OptionRow<'limit'> = {
  flags: '--limit <n>',
  about: 'how many to show',
  param: 'limit',
  kind: [1, 1_000],
};

export function optionOf({ flags, about, kind, isRequired }: OptionRow): Option {
  const option = new Option(flags, about).makeOptionMandatory(isRequired === true);
  const [flag = ''] = flags.split(' ');
  if (kind === 'pairs') return option.argParser<string[]>(repeated);
  return typeof kind === 'object' ? option.argParser(whole(flag, kind[0], kind[1])) : option;
}

export function addRows(program: Command, rows: CommandRows): void {
  for (const row of Object.values(rows)) addRow(program, row);
}

function addRow(program: Command, row: CommandRow): void {
  const command = program.command(row.name).summary(row.summary);
  command.description(row.description ?? sentence(row.summary));
  for (const option of row.options) command.addOption(optionOf(option));
  if (row.question !== undefined) addMovingOptions(command);
  addExamples(addSessionOptions(command), row.examples).action(async (options: CommandOptions) => {
    const { executeCommand } = await import('../run/rows.ts');
    await executeCommand(row, options);
  });
}

/** Options of every command that calls the wallet. */
export function addSessionOptions(command: Command): Command {
  addNodeOptions(addFileOptions(command));
  return command
    .option('--token-file <file>', "the daemon's token, where a daemon holds the wallet")
    .option('--json', 'print the result as JSON');
}

function addMovingOptions(command: Command): void {
  command
    .option(
      '--request-id <text>',
      'your own name for the request; a name is carried out once (default: a random one)',
    )
    .option('--wait', 'wait until the outcome is final')
    .option('--dry-run', 'show what would be done; nothing is signed, kept or sent')
    .option('-y, --yes', 'do not ask');
  addFeeOption(command);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
