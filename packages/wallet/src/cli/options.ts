/**
 * Options of commands: how their values are read, and those by which a command finds its wallet and its node.
 */

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { CliError, EXIT } from 'svc-base/cli';
import type { Checkpoint } from '../node/trusted-chain.ts';

export type CommandOptions = Readonly<Record<string, unknown>>;

export function textOf(options: CommandOptions, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** An absolute path, because commands that find the daemon are started in other directories. */
export function pathOf(options: CommandOptions, name: string): string | undefined {
  const path = textOf(options, name);
  return path === undefined ? undefined : resolve(path);
}

/** A parser for commander: a whole number between two others. */
export function whole(flag: string, min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^(0|[1-9][0-9]{0,15})$/.test(text) && value >= min && value <= max) return value;
    throw usage(`${flag}: expected a whole number from ${min} to ${max}, found ${text}`);
  };
}

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const MOMENT =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,3})?)?(Z|[+-][0-9]{2}:[0-9]{2})$/;
const DAY_MILLIS = 86_400_000;

/** A moment in milliseconds: that of RFC 3339, or the begin or the end of a day in UTC. */
export function momentOf(flag: string, edge: 'begin' | 'end'): (text: string) => number {
  return (text) => {
    const isDay = DAY.test(text);
    const millis = isDay || MOMENT.test(text) ? Date.parse(text) : Number.NaN;
    // The platform takes the 31st of a shorter month for a day of the next one.
    const isReal =
      !isDay || (!Number.isNaN(millis) && new Date(millis).toISOString().startsWith(text));
    if (Number.isNaN(millis) || millis < 0 || !isReal)
      throw usage(`${flag}: expected 2026-11-30 or 2026-11-30T18:00:00Z, found ${text}`);
    return isDay && edge === 'end' ? millis + DAY_MILLIS : millis;
  };
}

export function usage(message: string, hint?: string): CliError {
  return new CliError(EXIT.usage, message, hint === undefined ? {} : { hint });
}

/** Collects an option that may be given several times. */
export function repeated(item: string, items: readonly string[] | undefined): string[] {
  return [...(items ?? []), item];
}

type Execute = (...given: never[]) => Promise<void>;

/** What a command does, from a module that is loaded when the command is called. */
export function lazily<Name extends string>(
  load: () => Promise<Readonly<Record<Name, Execute>>>,
  name: Name,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => await (await load())[name](...(given as never[]));
}

const EXAMPLES = new WeakMap<Command, readonly string[]>();

/** Command lines without the name of the program. */
export function addExamples(command: Command, examples: readonly string[]): Command {
  EXAMPLES.set(command, examples);
  const lines = examples.map((example) => `  svc-wallet ${example}`);
  return command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'));
}

export function examplesOf(command: Command): readonly string[] {
  return EXAMPLES.get(command) ?? [];
}

interface Streams {
  readonly stdin: { readonly isTTY?: boolean };
  readonly stderr: { readonly isTTY?: boolean };
}

/** Whether questions may be asked: a person is at the terminal, and `--no-input` was not given. */
export function mayAsk(options: CommandOptions, { stdin, stderr }: Streams = process): boolean {
  return options['input'] !== false && stdin.isTTY === true && stderr.isTTY === true;
}

/**
 * Whether a payment needs a yes. A script without a terminal needs none; with `--no-input` the option `--yes` is
 * required.
 */
export function needsYes(options: CommandOptions, streams: Streams = process): boolean {
  if (options['yes'] === true) return false;
  if (options['input'] === false) {
    throw usage('nobody may be asked whether to do this', 'give --yes, or leave out --no-input');
  }
  return mayAsk(options, streams);
}

export async function askYes(question: string): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ message: question, initialValue: false, output: process.stderr });
  return !isCancel(answer) && answer;
}

/** Asks for a text that is not shown while it is typed. */
export async function askSecret(question: string): Promise<string> {
  const { isCancel, password } = await import('@clack/prompts');
  const answer = await password({ message: question, output: process.stderr });
  if (isCancel(answer)) throw new CliError(EXIT.failed, 'nothing was done');
  return answer ?? '';
}

const NETWORK_NAMES = ['mainnet', 'testnet', 'testnet100', 'development'] as const;
const SERVICE_DEFAULT = 'http://127.0.0.1:28701';
const GAP_MAX = 1_000_000;
const ANSWER_SECONDS_MAX = 3_600;

export interface WalletPlace {
  readonly file: string;
  readonly passwordFile: string | undefined;
  readonly journalCopy: string | undefined;
  readonly auditFile: string | undefined;
  /** Whether a person may be asked for the password. */
  readonly mayAsk: boolean;
}

export interface NodePlace {
  readonly service: string;
  /** Nodes that are asked where that one is not believed. */
  readonly otherServices: readonly string[];
  /** The identity that the node's answers must be signed with. */
  readonly identity: string | undefined;
  /** The cut that trust begins with. */
  readonly checkpoint: Checkpoint | undefined;
  /** The texts of recovery files that are followed. */
  readonly recoveries: readonly string[];
  readonly gap: number | undefined;
  readonly requestTimeoutMillis: number | undefined;
}

/** Which wallet is meant, for commands that do not open it. */
export function addWalletOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--network <name>', 'whose wallet to take where no file is named')
        .choices([...NETWORK_NAMES])
        .default('mainnet')
        .env('SVC_NETWORK'),
    )
    .addOption(
      new Option(
        '--file <file>',
        'the wallet file (default: .svc/<network>/wallet in the home directory)',
      ).env('SVC_WALLET_FILE'),
    );
}

export function addFileOptions(command: Command): Command {
  return addWalletOptions(command)
    .option(
      '--password-file <file>',
      'holds its password; <wallet file>.password if that is there, else you are asked',
    )
    .addOption(
      new Option(
        '--journal-copy <file>',
        'the copy of what was paid, better on another disk (default: <wallet file>.journal)',
      ).env('SVC_JOURNAL_COPY'),
    )
    .addOption(auditFileOption())
    .option(
      '--no-input',
      'never ask: what would be asked is refused, and the option for it is named',
    );
}

export function auditFileOption(): Option {
  return new Option(
    '--audit-file <file>',
    'a line for each payment and its outcome (default: <wallet file>.audit)',
  ).env('SVC_AUDIT_FILE');
}

export function addNodeOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--service <url>', 'the node to use').default(SERVICE_DEFAULT).env('SVC_SERVICE'),
    )
    .option(
      '--other-service <url>',
      'a node that is asked in place of one that conceals or invents something; may be repeated',
      repeated,
    )
    .option('--identity <hex>', 'take only answers that a node of this identity signed')
    .addOption(
      new Option(
        '--trust <height:cut_id>',
        'a cut that you know to be right, with which trust in validators begins; on other networks than development nothing is read without',
      ).env('SVC_TRUST'),
    )
    .option(
      '--recovery <file>',
      'a recovery file that you follow: validators decide by it after a cut, in place of those that could not; may be repeated',
      repeated,
    )
    .addOption(
      new Option('--gap <n>', 'addresses looked at beyond the last one used (default: 1000)')
        .argParser(whole('--gap', 1, GAP_MAX))
        .env('SVC_GAP'),
    )
    .addOption(
      new Option('--answer-seconds <n>', 'how long the node may take for an answer (default: 10)')
        .argParser(whole('--answer-seconds', 1, ANSWER_SECONDS_MAX))
        .env('SVC_ANSWER_SECONDS'),
    );
}

/** Options of every command that calls the wallet. */
export function addSessionOptions(command: Command): Command {
  addNodeOptions(addFileOptions(command));
  return command
    .option('--token-file <file>', "the daemon's token, where a daemon holds the wallet")
    .option('--json', 'print the result as JSON');
}

export function addFeeOption(command: Command): Command {
  return command.option(
    '--max-fee <coins>',
    'the most that one transaction may pay (default: 0.1)',
  );
}

export function walletPlace(options: CommandOptions): WalletPlace {
  const network = textOf(options, 'network') as string;
  const file = textOf(options, 'file') ?? join(homedir(), '.svc', network, 'wallet');
  return {
    file: resolve(file),
    passwordFile: pathOf(options, 'passwordFile'),
    journalCopy: pathOf(options, 'journalCopy'),
    auditFile: pathOf(options, 'auditFile'),
    mayAsk: mayAsk(options),
  };
}

export function nodePlace(options: CommandOptions): NodePlace {
  const { answerSeconds } = options;
  return {
    service: serviceOf(textOf(options, 'service') as string),
    otherServices: ((options['otherService'] as string[] | undefined) ?? []).map((url) =>
      serviceOf(url, '--other-service'),
    ),
    identity: textOf(options, 'identity'),
    checkpoint: checkpointOf(textOf(options, 'trust')),
    recoveries: recoveriesOf(options['recovery']),
    gap: options['gap'] as number | undefined,
    requestTimeoutMillis:
      answerSeconds === undefined ? undefined : 1_000 * (answerSeconds as number),
  };
}

function serviceOf(text: string, name = '--service'): string {
  const isUrl = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (isUrl) return text;
  throw usage(`${name}: expected an address such as ${SERVICE_DEFAULT}, found ${text}`);
}

function recoveriesOf(files: unknown): string[] {
  return ((files as string[] | undefined) ?? []).map((file) => {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      throw usage(`--recovery: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
  });
}

function checkpointOf(text: string | undefined): Checkpoint | undefined {
  if (text === undefined) return undefined;
  const [, height, cutId] = /^([1-9][0-9]{0,15}):([0-9a-f]{96})$/.exec(text) ?? [];
  if (height !== undefined && cutId !== undefined) return { height: Number(height), cutId };
  throw usage('--trust: expected a height and a cut id, such as 5120:<96 hexadecimal characters>');
}
