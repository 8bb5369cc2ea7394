/**
 * Key files of a validator: one seed sealed like a wallet file; `docs/protocol.md` 12.1. Where the file is
 * kept, and with which rights, is the caller's.
 */
import { expectBytes, toHex } from '../base/bytes.ts';
import { Fields } from '../base/fields.ts';
import type { Network } from '../base/networks.ts';
import { expectNetwork } from '../base/networks.ts';
import { SvcError } from '../base/svc-error.ts';
import type { PasswordHash } from './installed-hash.ts';
import { openWalletFile, openWith, sealWalletFile, sealWith } from './wallet-file.ts';

/** `consensus` signs cuts; `heartbeat_fee` pays for heartbeats. */
export type KeyKind = 'consensus' | 'heartbeat_fee';

export interface KeyFileContents {
  readonly kind: KeyKind;
  readonly network: Network;
}

const FIELDS = ['key_version', 'kind', 'network', 'seed'];
const KEY_VERSION = 1n;
const SEED_BYTES = 32;

/** Seals the seed of a key pair. `optionsJson` is what `sealWalletFile` takes. */
export function sealKeyFile(
  seed: Uint8Array,
  { kind, network }: KeyFileContents,
  password: string,
  optionsJson?: string,
  hash?: PasswordHash,
): Uint8Array {
  const contents = JSON.stringify({
    key_version: String(KEY_VERSION),
    kind,
    network: expectNetwork(network, 'network'),
    seed: toHex(expectBytes(seed, 'seed', SEED_BYTES)),
  });
  return hash === undefined
    ? sealWalletFile(contents, password, optionsJson)
    : sealWith(hash, contents, password, optionsJson);
}

/** The seed of a key of this kind and network; the caller wipes it. */
export function openKeyFile(
  file: Uint8Array,
  { kind, network }: KeyFileContents,
  password: string,
  hash?: PasswordHash,
): Uint8Array {
  const contents =
    hash === undefined ? openWalletFile(file, password) : openWith(hash, file, password);
  const fields = Fields.parse(contents, '', FIELDS);
  fields.decimal('key_version', { min: KEY_VERSION, max: KEY_VERSION });
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
