/**
 * Makes a wallet. New words go to a terminal, and elsewhere only where a program runs this: with
 * `--generate-password` or `--show-words`. A wallet whose words would not be seen is not made.
 */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError, columns, EXIT, note, result, resultJson, styled } from 'svc-base/cli';
import {
  addressFromPublicKey,
  init,
  mnemonicEntropy,
  type Network,
  SvcError,
  WalletRoot,
} from 'svc-wasm';
import { wipe } from 'svc-wasm/base';
import { type InitOptions, initWallet } from '../../file/open-wallet-file.ts';
import { generatePassword, passwordPath, readPassword } from '../../file/secret-file.ts';
import { resealWalletFile } from '../../file/wallet-file.ts';
import { readSecretText } from '../input.ts';
import { expectWallet, newPassword, passwordOf } from '../keys.ts';
import {
  askSecret,
  type CommandOptions,
  mayAsk,
  textOf,
  usage,
  type WalletPlace,
  walletPlace,
} from '../options.ts';
import { print, showResult } from '../show.ts';

/** Nothing of value is on a development network, and its programs start wallets often. */
const DEVELOPMENT_COST = '{"memory_kib":"7168","passes":"5"}';

const WORDS_PER_ROW = 4;

export async function makeWallet(options: CommandOptions): Promise<void> {
  await init();
  const { file } = walletPlace(options);
  const network = textOf(options, 'network') as Network;
  const words = await readWords(options);
  const showsWords = words === undefined;
  if (showsWords) expectReader(options);
  const passphrase = await readPassphrase(options);
  const made = await initWallet({
    path: file,
    network,
    nowMillis: Date.now(),
    ...(await passwordOption(options)),
    ...(words === undefined ? {} : { words }),
    ...(passphrase === undefined ? {} : { passphrase }),
    cost: costOf(network),
  });
  const facts = {
    file,
    network,
    fingerprint: made.fingerprint,
    address: firstAddress(made.words, passphrase ?? '', network),
    password_file: made.passwordFile ?? textOf(options, 'passwordFile') ?? null,
  };
  if (options['json'] === true) {
    resultJson({ ...facts, ...(showsWords ? { words: made.words } : {}) });
    return;
  }
  if (showsWords) tellWords(made.words);
  result(showResult('init', facts));
}

/** What opening a wallet of this network costs; the default where it is undefined. */
function costOf(network: Network): string | undefined {
  return network === 'development' ? DEVELOPMENT_COST : undefined;
}

async function passwordOption(
  options: CommandOptions,
): Promise<Pick<InitOptions, 'password' | 'passwordFile'>> {
  const place = walletPlace(options);
  const { passwordFile } = place;
  if (options['generatePassword'] === true) {
    return { password: null, ...(passwordFile === undefined ? {} : { passwordFile }) };
  }
  if (passwordFile !== undefined) return { password: readPassword(passwordFile) };
  return { password: await newPassword(place) };
}

function expectReader(options: CommandOptions): void {
  if (options['generatePassword'] === true || options['showWords'] === true) return;
  if (process.stdout.isTTY === true) return;
  const hint = 'run it in a terminal, or give --show-words if what reads its output is safe';
  throw usage('nobody would see the 24 recovery words', hint);
}

function tellWords(words: string): void {
  note(styled('bold', 'The recovery words. Write them down: they are shown this once.'));
  result(`\n${wordTable(words)}\n`);
  note('Who has them has the coins. Keep them on paper, and show them to nobody.\n');
}

function firstAddress(words: string, passphrase: string, network: Network): string {
  using root = WalletRoot.fromMnemonic(words, passphrase, network);
  return addressFromPublicKey(root.derivePublicKey(0, 0, 0), network);
}

/** Recovery words as people copy them: numbered, in rows. */
function wordTable(words: string): string {
  const cells = words.split(' ').map((word, at) => `${String(at + 1).padStart(2)}. ${word}`);
  const rows: string[][] = [];
  for (let at = 0; at < cells.length; at += WORDS_PER_ROW) {
    rows.push(cells.slice(at, at + WORDS_PER_ROW));
  }
  return columns(rows);
}

/** Returns undefined if new words are wanted. */
async function readWords(options: CommandOptions): Promise<string | undefined> {
  const file = textOf(options, 'wordsFile');
  if (file === undefined && options['restore'] !== true) return undefined;
  const text = file === undefined ? await askWords(options) : await readSecretText(file);
  const words = text.trim().split(/\s+/).join(' ');
  try {
    wipe(mnemonicEntropy(words));
    return words;
  } catch (cause) {
    if (!(cause instanceof SvcError)) throw cause;
    throw new CliError(EXIT.usage, `these are no recovery words: ${cause.message}`);
  }
}

async function readPassphrase(options: CommandOptions): Promise<string | undefined> {
  const file = textOf(options, 'passphraseFile');
  return file === undefined ? undefined : (await readSecretText(file)).replace(/\r?\n$/, '');
}

async function askWords(options: CommandOptions): Promise<string> {
  if (mayAsk(options)) return await askSecret('The 24 words, with spaces between them');
  throw usage('nobody is there to give the words', 'name a file with --words-file');
}

export async function changePassword(options: CommandOptions): Promise<void> {
  const place = walletPlace(options);
  expectWallet(place);
  await init();
  const named = textOf(options, 'newPasswordFile');
  const newFile = named === undefined ? undefined : resolve(named);
  const oldFile = place.passwordFile ?? passwordPath(place.file);
  if (newFile === oldFile) {
    const hint = 'name another file, and put it in the place of the old one afterwards';
    throw usage('--new-password-file: holds the password that the wallet has now', hint);
  }
  const before = await passwordOf(place);
  const after = await newPasswordOf(place, newFile);
  const { network } = resealWalletFile(place.file, before, after, costOf);
  const facts = {
    file: place.file,
    network,
    new_password_file: newFile ?? null,
    old_password_file: existsSync(oldFile) ? oldFile : null,
  };
  print(options, 'password', facts);
}

async function newPasswordOf(place: WalletPlace, file: string | undefined): Promise<string> {
  if (file === undefined) return await newPassword(place);
  return existsSync(file) ? readPassword(file) : generatePassword(file);
}
