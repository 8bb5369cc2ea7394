/**
 * The wallet file on the disk.
 */
import { mnemonicEntropy, type Network, SvcError } from 'svc-wasm';
import { expectNetwork, Fields, wipe } from 'svc-wasm/base';
import { FileRefusal } from '../errors.ts';
import { openFile, type Sealing, sealFile } from './seal.ts';
import { createSecret, readSecret, replaceSecret } from './secret-file.ts';

/** Makes a wallet file; never over an existing one. */
export async function createWalletFile(
  path: string,
  contents: WalletContents,
  password: string,
  cost?: string,
  sealing?: Sealing,
): Promise<void> {
  createSecret(path, await sealFile(formatContents(contents), password, cost, sealing));
}

export async function readWalletFile(
  path: string,
  password: string,
  sealing?: Sealing,
): Promise<WalletContents> {
  const bytes = readSecret(path);
  try {
    return parseContents(await openFile(bytes, password, sealing));
  } catch (cause) {
    if (!(cause instanceof SvcError)) throw cause;
    throw refusalOf(path, cause);
  }
}

interface Resealing {
  readonly sealing?: Sealing;
  /** What a file of this network costs to open; the default where it answers nothing. */
  costOf?(network: Network): string | undefined;
}

/**
 * Puts the same contents under another password in the place of the file, whole or not at all. What is put there was
 * opened with the new password before.
 */
export async function resealWalletFile(
  path: string,
  before: string,
  after: string,
  { costOf, sealing }: Resealing = {},
): Promise<WalletContents> {
  const contents = await readWalletFile(path, before, sealing);
  const cost = costOf?.(contents.network);
  const bytes = await sealFile(formatContents(contents), after, cost, sealing);
  parseContents(await openFile(bytes, after, sealing));
  replaceSecret(path, bytes);
  return contents;
}

function refusalOf(path: string, cause: SvcError): FileRefusal {
  if (cause.code === 'wrong_password') {
    const hint = 'name the right password file, or restore the wallet from its words';
    return new FileRefusal(
      'wrong_password',
      path,
      cause.message.replace(/^file: /, ''),
      hint,
      cause,
    );
  }
  if (cause.code === 'unsupported_version') {
    return new FileRefusal('newer_version', path, cause.message, 'update svc-wallet', cause);
  }
  const hint = 'restore it from a backup or from its words';
  return new FileRefusal('damaged', path, `is no wallet file (${cause.message})`, hint, cause);
}

const VERSION = 1n;
const FIELDS = ['version', 'network', 'words', 'passphrase', 'created_at_millis'];
const WORDS_CHARACTERS_MAX = 512;

interface WalletContents {
  readonly network: Network;
  readonly words: string;
  /** The optional passphrase of BIP-39; empty if there is none. */
  readonly passphrase: string;
  readonly createdAtMillis: number;
}

function formatContents(contents: WalletContents): string {
  return JSON.stringify({
    version: String(VERSION),
    network: contents.network,
    words: contents.words,
    passphrase: contents.passphrase,
    created_at_millis: String(contents.createdAtMillis),
  });
}

export function parseContents(text: string): WalletContents {
  const fields = Fields.parse(text, 'wallet', FIELDS);
  const version = fields.decimal('version', { max: 0xffn });
  if (version !== VERSION) {
    const found = `expected ${VERSION}, found ${version}`;
    throw new SvcError('unsupported_version', found, { path: fields.at('version') });
  }
  const network = expectNetwork(fields.value('network'), fields.at('network'));
  const words = fields.string('words', WORDS_CHARACTERS_MAX);
  wipe(mnemonicEntropy(words));
  return {
    network,
    words,
    passphrase: fields.string('passphrase', WORDS_CHARACTERS_MAX),
    createdAtMillis: Number(
      fields.decimal('created_at_millis', { max: BigInt(Number.MAX_SAFE_INTEGER) }),
    ),
  };
}
