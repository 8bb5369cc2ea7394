/**
 * Which wallets `svc-wallet daemons` serves, and the words with which it starts the daemon of each. Values are looked at
 * by the daemons themselves, in their own words.
 */
import { resolve } from 'node:path';
import type { WalletProcessOptions } from '../../daemons/wallet-process.ts';
import { type CommandOptions, textOf, usage } from '../values.ts';

export const WALLETS_MAX = 16;
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;
const SETTING = /^([^:=]+):([a-z-]+)(?:=(.*))?$/;

/** Options of `daemon` that are one wallet's; the rest is common to all of them or belongs to the listener in front. */
export const SETTINGS: readonly string[] = [
  'accept-state',
  'audit-file',
  'auto-compound',
  'auto-sweep-to',
  'change-addresses',
  'confirmations',
  'float',
  'gap',
  'journal-copy',
  'max-fee',
  'metrics-bind',
  'password-file',
  'read-token-file',
  'token-file',
  'webhook-secret-file',
  'webhook-url',
];

export function walletsOf(options: CommandOptions): Omit<WalletProcessOptions, 'socketPath'>[] {
  const files = filesOf(options['wallet'] as readonly string[]);
  const settings = settingsOf((options['set'] as readonly string[] | undefined) ?? [], files);
  const common = commonWords(options);
  return [...files].map(([name, file]) => {
    return { name, words: ['--file', file, ...common, ...(settings.get(name) ?? [])] };
  });
}

function filesOf(given: readonly string[]): ReadonlyMap<string, string> {
  if (given.length > WALLETS_MAX) throw usage(`--wallet: at most ${WALLETS_MAX} are served`);
  const files = new Map<string, string>();
  for (const text of given) {
    const at = text.indexOf('=');
    const [name, path] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
    if (!NAME.test(name) || path === '') {
      const hint = 'a name has small letters, digits and dashes, up to 32';
      throw usage(`--wallet: expected such as hot=hot.wallet, found ${text}`, hint);
    }
    const file = resolve(path);
    if (files.has(name)) throw usage(`--wallet: two wallets are named ${name}`);
    if ([...files.values()].includes(file)) throw usage(`--wallet: ${path} has two names`);
    files.set(name, file);
  }
  return files;
}

/** The words of each wallet, in the order in which they were given. */
function settingsOf(
  given: readonly string[],
  files: ReadonlyMap<string, string>,
): ReadonlyMap<string, string[]> {
  const words = new Map<string, string[]>();
  for (const text of given) {
    const [, name, option, value] = SETTING.exec(text) ?? [];
    if (name === undefined || option === undefined || !SETTINGS.includes(option)) {
      const hint = `one of ${SETTINGS.join(', ')}`;
      throw usage(`--set: expected such as hot:float=100x50, found ${text}`, hint);
    }
    if (!files.has(name)) throw usage(`--set: no wallet is named ${name}`);
    const flag = value === undefined ? `--${option}` : `--${option}=${value}`;
    words.set(name, [...(words.get(name) ?? []), flag]);
  }
  return words;
}

/** What all of them are told alike: their node, what they trust, and how much they log. */
function commonWords(options: CommandOptions): string[] {
  const said = (['service', 'identity', 'trust'] as const).flatMap((name) => {
    const value = textOf(options, name);
    return value === undefined ? [] : [`--${name}=${value}`];
  });
  const followed = ((options['recovery'] as string[] | undefined) ?? []).map(
    (file) => `--recovery=${resolve(file)}`,
  );
  const others = ((options['otherService'] as string[] | undefined) ?? []).map(
    (url) => `--other-service=${url}`,
  );
  const { gap, answerSeconds } = options as { gap?: number; answerSeconds?: number };
  const counts = Object.entries({ gap, 'answer-seconds': answerSeconds });
  const counted = counts.flatMap(([name, n]) => (n === undefined ? [] : [`--${name}=${n}`]));
  return [
    ...said,
    ...others,
    ...followed,
    ...counted,
    ...(options['quiet'] === true ? ['--quiet'] : []),
  ];
}
