/**
 * `svcd recovery key`: the consensus key with which a validator continues after a recovery, and its statement. The record
 * of what the key signed begins here, so that it is whole: a key without it stays silent.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CliError, EXIT, note, result } from 'svc-base/cli';
import { replaceFileSync } from 'svc-base/node';
import { openKeyFile } from 'svc-consensus/signer';
import { type EconomyRecord, SINGLE_KEY } from 'svc-ledger';
import type { LedgerStore } from 'svc-storage';
import { equalBytes, toHex, wipe } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import {
  formatRecovery,
  keyHash,
  type RecoveredSeat,
  type RecoveryPlace,
  signSeat,
} from 'svc-wasm/protocol';
import type { ConsensusKeyConfig, NodeConfig } from '../../config/node-config.ts';
import { beginRecord } from '../../validator/new-record.ts';
import { recordFolderOf } from '../../validator/record-folder.ts';
import type { CommandOptions } from '../config-options.ts';
import { type ChainPlace, chainPlace, withStore } from '../store/open-store.ts';
import { makeKeyFiles } from '../validator/validator-folder.ts';
import { committeeOf, headOf } from './verify.ts';

const STATEMENT = 'recovery-statement.json';

interface KeyFiles extends ConsensusKeyConfig {
  /** Of the key that follows; there must be nothing. */
  readonly next: ConsensusKeyConfig;
}

export async function makeRecoveryKey(options: CommandOptions): Promise<void> {
  const place = await chainPlace(options);
  const { config } = place;
  const files = keyFilesOf(config, options);
  const { out: named = join(config.dataDir, STATEMENT) } = options as { readonly out?: string };
  const out = resolve(named);
  for (const file of [out, files.next.consensusKeyFile, files.next.passwordFile])
    if (existsSync(file))
      throw new CliError(EXIT.refused, `${file} is there already`, {
        hint: 'keys and statements are never written over; move it elsewhere',
      });
  const before = readKey(files, config);
  try {
    await withStore(place, async (store) => {
      expectAt(store, String(options['at']));
      const seat = seatOf(store, before.publicKey);
      const next = await makeKeyFiles(files.next, 'consensus', config.network);
      const key = { id: keyHash(next.publicKey), sign: () => new Uint8Array(0) };
      const records = join(config.dataDir, 'validator');
      const folder = recordFolderOf(records, { id: key.id, keyHash: toHex(key.id) });
      beginRecord(join(records, folder), key);
      const secretKeys = { next: next.secretKey, before: before.secretKey };
      const at = placeOf(place, store);
      const member = signSeat(at, { ...seat, publicKey: next.publicKey }, secretKeys);
      wipe(next.secretKey);
      replaceFileSync(out, formatRecovery(at, [member]));
      note(`the new key is ${files.next.consensusKeyFile}, its record ${join(records, folder)}`);
    });
  } finally {
    wipe(before.secretKey);
  }
  note('send this file to the operator who assembles the recovery; nothing in it is secret:');
  result(out);
}

/** A key that is with a remote signer is named by its files. */
function keyFilesOf({ validator }: NodeConfig, options: CommandOptions): KeyFiles {
  const { keyFile, passwordFile } = options;
  if (typeof keyFile === 'string' && typeof passwordFile === 'string') {
    const [key, password] = [resolve(keyFile), resolve(passwordFile)];
    const next = { consensusKeyFile: `${key}.next`, passwordFile: `${password}.next` };
    return { consensusKeyFile: key, passwordFile: password, next };
  }
  if (validator !== null && validator.signer === null) return validator;
  throw new CliError(
    EXIT.usage,
    'the configuration names no files of a consensus key: give --key-file and --password-file',
  );
}

function readKey({ consensusKeyFile, passwordFile }: KeyFiles, { network }: NodeConfig) {
  const seed = openKeyFile({
    keyFile: consensusKeyFile,
    keySetting: 'validator.consensus_key_file',
    passwordFile,
    passwordSetting: 'validator.password_file',
    kind: 'consensus',
    network,
  });
  try {
    return mlDsa65.keygen(seed);
  } finally {
    wipe(seed);
  }
}

function expectAt(store: LedgerStore, wanted: string): void {
  const { height, cutId } = headOf(store);
  const found = `${height}:${cutId}`;
  if (wanted === found) return;
  throw new CliError(EXIT.refused, `the last final cut here is ${found}, not ${wanted}`, {
    hint: 'compare with the other operators: the highest cut that any node has is the last one',
  });
}

function seatOf(store: LedgerStore, publicKey: Uint8Array): RecoveredSeat {
  const { validators } = committeeOf(store);
  const seat = validators.find((validator) => equalBytes(validator.publicKey, publicKey));
  if (seat === undefined)
    throw new CliError(
      EXIT.refused,
      'the consensus key has no seat in the committee that was to decide the next cut',
      {
        hint: 'after a rotation, name the files of the active key with --key-file and --password-file',
      },
    );
  return { validatorId: toHex(seat.id), stake: seat.stake, publicKey };
}

function placeOf({ config, chainId }: ChainPlace, store: LedgerStore): RecoveryPlace {
  const { height, cutId } = headOf(store);
  const { timeMillis } = store.view.get('economy', SINGLE_KEY) as EconomyRecord;
  return { network: config.network, chainId, height, cutId, timeMillis };
}
