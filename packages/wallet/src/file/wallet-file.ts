/**
 * The wallet file on the disk.
 */
import { NATIVE_PASSWORD_HASH } from 'svc-base/node';
import { mnemonicEntropy, type Network, openWalletFile, SvcError, sealWalletFile } from 'svc-wasm';
import { expectNetwork, Fields, wipe } from 'svc-wasm/base';
import { openWith, sealWith } from 'svc-wasm/protocol';
import { FileRefusal } from '../errors.ts';
import { createSecret, readSecret, replaceSecret } from './secret-file.ts';

/** Makes a wallet file; never over an existing one. `cost` is what `sealWalletFile` takes as options. */
export function createWalletFile(
  path: string,
  contents: WalletContents,
  password: string,
  cost?: string,
): void {
  createSecret(path, seal(contents, password, cost));
}

export function readWalletFile(path: string, password: string): WalletContents {
  const bytes = readSecret(path);
  try {
    return open(bytes, password);
  } catch (cause) {
    if (!(cause instanceof SvcError)) throw cause;
    throw refusalOf(path, cause);
  }
}

/**
 * Replaces the file by one with the same contents under another password, whole or not at all. The new bytes were opened
 * with the new password before. `costOf` returns what a file of a network costs to open; the default if undefined.
 */
export function resealWalletFile(
  path: string,
  before: string,
  after: string,
  costOf: (network: Network) => string | undefined,
): WalletContents {
  const contents = readWalletFile(path, before);
  const bytes = seal(contents, after, costOf(contents.network));
  open(bytes, after);
  replaceSecret(path, bytes);
  return contents;
}

function seal(contents: WalletContents, password: string, cost: string | undefined): Uint8Array {
  const text = formatContents(contents);
  return NATIVE_PASSWORD_HASH === undefined
    ? sealWalletFile(text, password, cost)
    : sealWith(NATIVE_PASSWORD_HASH, text, password, cost);
}

function open(file: Uint8Array, password: string): WalletContents {
  return parseContents(
    NATIVE_PASSWORD_HASH === undefined
      ? openWalletFile(file, password)
      : openWith(NATIVE_PASSWORD_HASH, file, password),
  );
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
