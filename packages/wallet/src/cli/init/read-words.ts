/**
 * The words of a wallet that is restored: from a file, from standard input, or from a person.
 */
import { CliError, EXIT } from 'svc-base/cli';
import { mnemonicEntropy, SvcError } from 'svc-wasm';
import { wipe } from 'svc-wasm/base';
import { readSecretText } from '../ask/read-input.ts';
import { askSecret, mayAsk } from '../ask/terminal.ts';
import { type CommandOptions, textOf, usage } from '../values.ts';

/** Returns undefined if new words are wanted. */
export async function readWords(options: CommandOptions): Promise<string | undefined> {
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

export async function readPassphrase(options: CommandOptions): Promise<string | undefined> {
  const file = textOf(options, 'passphraseFile');
  return file === undefined ? undefined : (await readSecretText(file)).replace(/\r?\n$/, '');
}

async function askWords(options: CommandOptions): Promise<string> {
  if (mayAsk(options)) return await askSecret('The 24 words, with spaces between them');
  throw usage('nobody is there to give the words', 'name a file with --words-file');
}
