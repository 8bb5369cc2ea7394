/**
 * The options by which a command finds its wallet and its node.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Checkpoint } from '../node/trusted-chain.ts';
import { mayAsk } from './ask/terminal.ts';
import { type CommandOptions, repeated, textOf, usage, whole } from './values.ts';

export const NETWORK_NAMES = ['mainnet', 'testnet', 'testnet100', 'development'] as const;
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
  readonly answerSeconds: number | undefined;
  /** Coins. */
  readonly maxFee: string | undefined;
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

export function addFeeOption(command: Command): Command {
  return command.option(
    '--max-fee <coins>',
    'the most that one transaction may pay (default: 0.1)',
  );
}

export function walletPlace(options: CommandOptions): WalletPlace {
  const network = textOf(options, 'network') as string;
  const file = textOf(options, 'file') ?? join(homedir(), '.svc', network, 'wallet');
  const whole = (name: string): string | undefined => {
    const path = textOf(options, name);
    return path === undefined ? undefined : resolve(path);
  };
  return {
    file: resolve(file),
    passwordFile: whole('passwordFile'),
    journalCopy: whole('journalCopy'),
    auditFile: whole('auditFile'),
    mayAsk: mayAsk(options),
  };
}

export function nodePlace(options: CommandOptions): NodePlace {
  return {
    service: serviceOf(textOf(options, 'service') as string),
    otherServices: ((options['otherService'] as string[] | undefined) ?? []).map((url) =>
      serviceOf(url, '--other-service'),
    ),
    identity: textOf(options, 'identity'),
    checkpoint: checkpointOf(textOf(options, 'trust')),
    recoveries: recoveriesOf(options['recovery']),
    gap: options['gap'] as number | undefined,
    answerSeconds: options['answerSeconds'] as number | undefined,
    maxFee: textOf(options, 'maxFee'),
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
