/**
 * What a wallet file holds: the recovery words and the network they are used on. Everything else is derived
 * from the words or read from the chain.
 */
import { mnemonicEntropy, type Network, SvcError } from 'svc-wasm';
import { expectNetwork, Fields, wipe } from 'svc-wasm/base';

/** Version 1 is from before keys differed by network. It meant what version 2 means on `mainnet` alone. */
const VERSION = 2;
const VERSION_OF_MAINNET_KEYS = 1;
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
  const network = expectNetwork(fields.value('network'), fields.at('network'));
  expectVersion(Number(fields.decimal('version', { max: 0xffn })), network, fields.at('version'));
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

function expectVersion(version: number, network: Network, path: string): void {
  if (version === VERSION) return;
  if (version !== VERSION_OF_MAINNET_KEYS) {
    throw new SvcError('unsupported_version', `expected ${VERSION}, found ${version}`, { path });
  }
  if (network === 'mainnet') return;
  const advice = 'make a wallet anew, from the same words if you like; it has other addresses';
  const reason = `this wallet is from before the keys of ${network} differed from those of mainnet`;
  throw new SvcError('unsupported_version', `${reason}: ${advice}`, { path });
}
