/**
 * Encrypted key files of a validator: a sealed file, as wallets write it, whose contents are
 * `{"key_version": "1", "kind": "consensus" | "heartbeat_fee", "network", "seed"}` with the seed of 32 bytes
 * in hex. The kernel need not be loaded to open one.
 */
import { openWalletFile, sealWalletFile } from 'svc-wasm';
import { expectNetwork, Fields, type Network, SvcError, toHex } from 'svc-wasm/base';
import { ConfigError } from './config-error.ts';
import { readPasswordFile, readSecretFile } from './secret-file.ts';

export type KeyKind = 'consensus' | 'heartbeat_fee';

export interface KeyFilePlace {
  readonly keyFile: string;
  readonly keySetting: string;
  readonly passwordFile: string;
  readonly passwordSetting: string;
  readonly kind: KeyKind;
  readonly network: Network;
}

const FIELDS = ['key_version', 'kind', 'network', 'seed'];
const SEED_BYTES = 32;

/** The seed of the key pair; the caller wipes it. */
export function openKeyFile(place: KeyFilePlace): Uint8Array {
  const sealed = readSecretFile(place.keyFile, place.keySetting);
  const password = readPasswordFile(place.passwordFile, place.passwordSetting);
  try {
    return readKey(openWalletFile(sealed, password), place);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw new ConfigError(place.keyFile, place.keySetting, error.message);
  }
}

export function sealKeyFile(
  seed: Uint8Array,
  { kind, network }: Pick<KeyFilePlace, 'kind' | 'network'>,
  password: string,
  optionsJson?: string,
): Uint8Array {
  const contents = { key_version: '1', kind, network, seed: toHex(seed) };
  return sealWalletFile(JSON.stringify(contents), password, optionsJson);
}

function readKey(contents: string, { kind, network }: KeyFilePlace): Uint8Array {
  const fields = Fields.parse(contents, '', FIELDS);
  fields.decimal('key_version', { min: 1n, max: 1n });
  expectSame('kind', fields.value('kind'), kind);
  expectSame('network', expectNetwork(fields.value('network'), 'network'), network);
  return fields.hex('seed', SEED_BYTES);
}

function expectSame(path: string, found: unknown, expected: string): void {
  if (found === expected) return;
  throw new SvcError('bad_file', `expected a key of ${path} ${expected}, found ${String(found)}`, {
    path,
  });
}
