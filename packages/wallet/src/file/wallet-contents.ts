/**
 * What a wallet file holds: the recovery words and the network they are used on. Everything else is derived
 * from the words or read from the chain.
 */
import { mnemonicEntropy, type Network, SvcError } from 'svc-wasm';
import { expectNetwork, Fields, wipe } from 'svc-wasm/base';

const VERSION = 1n;
const FIELDS = ['version', 'network', 'words', 'passphrase', 'created_at_millis'];
const WORDS_CHARACTERS_MAX = 512;

export interface WalletContents {
  readonly network: Network;
  readonly words: string;
  /** The optional passphrase of BIP-39; empty if there is none. */
  readonly passphrase: string;
  readonly createdAtMillis: number;
}

export function formatContents(contents: WalletContents): string {
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
