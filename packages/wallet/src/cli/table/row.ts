/**
 * Commands that call one method of the wallet: a row says which options become which parameters.
 */
import type { CallableMethod } from '../../methods/index.ts';

export interface OptionRow {
  readonly flags: string;
  readonly about: string;
  /** The parameter of the method. */
  readonly param: string;
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

export interface CommandRow {
  readonly name: string;
  readonly method: CallableMethod;
  readonly summary: string;
  readonly description?: string;
  readonly options: readonly OptionRow[];
  /** What a person is asked before money moves; such commands have a request id, a dry run and a wait. */
  readonly question?: string;
  /** Works without a node. */
  readonly isOffline?: true;
  /** Command lines without the name of the program. */
  readonly examples: readonly string[];
}

export const FEE_PER_MASS: OptionRow = {
  flags: '--fee-per-mass <atoms>',
  about: "what each unit of mass pays (default: the chain's least)",
  param: 'fee_per_mass',
};

export const VALIDATOR: OptionRow = {
  flags: '--validator <id>',
  about: 'the validator',
  param: 'validator',
  isRequired: true,
};

export const POSITION: OptionRow = {
  flags: '--position <id>',
  about: 'the position, as `positions` lists it',
  param: 'position',
  isRequired: true,
};

export const PAGE_LIMIT: OptionRow = {
  flags: '--limit <n>',
  about: 'how many to show',
  param: 'limit',
  kind: [1, 1_000],
};
