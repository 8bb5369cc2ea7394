/**
 * Commands that call one method of the wallet: a row says which options become which parameters. The compiler checks
 * a row against the contract: its parameters are the method's, and a command that pays asks first.
 */
import { Option } from 'commander';
import type { MethodName, MethodParams, PayingMethodName } from 'svc-api/rpc';
import { repeated, whole } from '../options.ts';

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

/** Rows of a group, by method. A command is named after its method. */
export type CommandRows = { readonly [N in MethodName]?: CommandRow<N> };

export type NamedRow = CommandRow & { readonly method: MethodName; readonly name: string };

export function text<P extends string>(flags: string, about: string, param: P): OptionRow<P> {
  return { flags, about, param };
}

export function needed<P extends string>(flags: string, about: string, param: P): OptionRow<P> {
  return { flags, about, param, isRequired: true };
}

export function flag<P extends string>(flags: string, about: string, param: P): OptionRow<P> {
  return { flags, about, param, kind: 'flag' };
}

/** A whole number. */
export function count<P extends string>(
  flags: string,
  about: string,
  param: P,
  min: number,
  max: number,
): OptionRow<P> {
  return { flags, about, param, kind: [min, max] };
}

export const FEE_PER_MASS: OptionRow<'fee_per_mass'> = text(
  '--fee-per-mass <atoms>',
  "what each unit of mass pays (default: the chain's least)",
  'fee_per_mass',
);

export const VALIDATOR: OptionRow<'validator'> = needed(
  '--validator <id>',
  'the validator',
  'validator',
);

export const POSITION: OptionRow<'position'> = needed(
  '--position <id>',
  'the position, as `positions` lists it',
  'position',
);

export const PAGE_LIMIT: OptionRow<'limit'> = count(
  '--limit <n>',
  'how many to show',
  'limit',
  1,
  1_000,
);

export function optionOf({ flags, about, kind, isRequired }: OptionRow): Option {
  const option = new Option(flags, about).makeOptionMandatory(isRequired === true);
  const [flag = ''] = flags.split(' ');
  if (kind === 'pairs') return option.argParser<string[]>(repeated);
  return typeof kind === 'object' ? option.argParser(whole(flag, kind[0], kind[1])) : option;
}
