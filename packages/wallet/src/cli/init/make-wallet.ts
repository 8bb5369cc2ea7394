/**
 * Makes a wallet. New words go to a terminal, and elsewhere only where a program runs this: with
 * `--generate-password` or `--show-words`. A wallet whose words nobody would see is not made.
 */
import { columns, note, result, resultJson, styled } from 'svc-base/cli';
import { addressFromPublicKey, init, type Network, WalletRoot } from 'svc-wasm';
import { type InitOptions, initWallet } from '../../file/init-wallet.ts';
import { readPassword } from '../../file/password.ts';
import { SEAL_HERE } from '../../file/seal.ts';
import { newPassword } from '../ask/password.ts';
import { showResult } from '../show/show-result.ts';
import { type CommandOptions, textOf, usage } from '../values.ts';
import { walletPlace } from '../wallet-options.ts';
import { readPassphrase, readWords } from './read-words.ts';

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
    sealing: SEAL_HERE,
    ...(await passwordOption(options)),
    ...(words === undefined ? {} : { words }),
    ...(passphrase === undefined ? {} : { passphrase }),
    ...costOption(network),
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
export function costOf(network: Network): string | undefined {
  return network === 'development' ? DEVELOPMENT_COST : undefined;
}

function costOption(network: Network): Pick<InitOptions, 'cost'> {
  const cost = costOf(network);
  return cost === undefined ? {} : { cost };
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
