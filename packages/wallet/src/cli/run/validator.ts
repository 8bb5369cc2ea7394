/**
 * Writes key files of a validator: one seed each, sealed under a password of its own, readable by the owner
 * alone, and never over a file that is there. The words of the wallet do not leave it.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CONSENSUS_KEY_INDEX_MAX } from 'svc-api/rpc';
import { note } from 'svc-base/cli';
import { NATIVE_PASSWORD_HASH } from 'svc-base/node';
import { addressFromPublicKey, BRANCHES } from 'svc-wasm';
import { toHex, wipe } from 'svc-wasm/base';
import { type KeyKind, sealKeyFile } from 'svc-wasm/protocol';
import { FileRefusal } from '../../errors.ts';
import type { WalletKeys } from '../../file/open-wallet-file.ts';
import { createSecret, generatePassword, readPassword } from '../../file/secret-file.ts';
import { ACCOUNT } from '../../keys/key-ring.ts';
import { openKeys } from '../keys.ts';
import { type CommandOptions, textOf, walletPlace } from '../options.ts';
import { print } from '../show.ts';

/**
 * The account of fee keys, which is not the account of the wallet: coins of a fee key pay for heartbeats alone.
 */
const FEE_ACCOUNT = 1;
const DEVELOPMENT_COST = '{"memory_kib":"7168","passes":"5"}';

export async function exportConsensusKey(options: CommandOptions): Promise<void> {
  const index = (options['consensusKeyIndex'] as number | undefined) ?? CONSENSUS_KEY_INDEX_MAX;
  const place = {
    kind: 'consensus' as const,
    account: ACCOUNT,
    index,
    file: resolve(textOf(options, 'validatorKeyFile') as string),
    passwordFile: resolve(textOf(options, 'validatorKeyPasswordFile') as string),
  };
  await withKeys(options, (keys) => {
    const publicKey = writeKey(keys, place);
    return {
      validator_key_file: place.file,
      validator_key_password_file: place.passwordFile,
      consensus_key_index: index,
      consensus_public_key_hex: toHex(publicKey),
    };
  });
}

export async function exportFeeKey(options: CommandOptions): Promise<void> {
  const place = {
    kind: 'heartbeat_fee' as const,
    account: FEE_ACCOUNT,
    index: (options['heartbeatFeeKeyIndex'] as number | undefined) ?? 0,
    file: resolve(textOf(options, 'heartbeatFeeKeyFile') as string),
    passwordFile: resolve(textOf(options, 'heartbeatFeeKeyPasswordFile') as string),
  };
  await withKeys(options, (keys) => ({
    heartbeat_fee_key_file: place.file,
    heartbeat_fee_key_password_file: place.passwordFile,
    heartbeat_fee_address: addressFromPublicKey(writeKey(keys, place), keys.network),
  }));
}

async function withKeys(
  options: CommandOptions,
  write: (keys: WalletKeys) => object,
): Promise<void> {
  const keys = await openKeys(walletPlace(options));
  try {
    const facts = write(keys);
    print(options, 'export', facts);
  } finally {
    keys.root.free();
  }
}

interface KeyPlace {
  readonly kind: KeyKind;
  readonly account: number;
  readonly index: number;
  readonly file: string;
  readonly passwordFile: string;
}

function writeKey({ root, network }: WalletKeys, place: KeyPlace): Uint8Array {
  const { account, file, index, kind } = place;
  if (existsSync(file)) {
    throw new FileRefusal('exists', file, 'exists already', 'nothing is ever written over a key');
  }
  const password = passwordIn(place.passwordFile);
  const seed = root.exportSeed(account, BRANCHES.receive, index);
  try {
    const cost = network === 'development' ? DEVELOPMENT_COST : undefined;
    const sealed = sealKeyFile(seed, { kind, network }, password, cost, NATIVE_PASSWORD_HASH);
    createSecret(file, sealed);
  } finally {
    wipe(seed);
  }
  return root.derivePublicKey(account, BRANCHES.receive, index);
}

function passwordIn(path: string): string {
  if (existsSync(path)) return readPassword(path);
  note(`a password was made: ${path}`);
  return generatePassword(path);
}
