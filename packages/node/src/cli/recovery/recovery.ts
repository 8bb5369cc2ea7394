/**
 * `svcd recovery`: the statement of one validator, the file that joins statements, and its check.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CliError, columns, EXIT, note, result } from 'svc-base/cli';
import { replaceFileSync } from 'svc-base/node';
import { openKeyFile } from 'svc-consensus/signer';
import { type EconomyRecord, type EpochRecord, SINGLE_KEY } from 'svc-ledger';
import type { Head, LedgerStore } from 'svc-storage';
import { formatAmount } from 'svc-wasm';
import { equalBytes, toHex, wipe } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import {
  type ChainRecovery,
  formatRecovery,
  keyHash,
  parseRecovery,
  type RecoveredSeat,
  type RecoveryPlace,
  recoveryWords,
  signSeat,
  type ValidatorSet,
} from 'svc-wasm/protocol';
import { RecoveryRefusedError } from '../../chain/chain-errors.ts';
import { expectRecovery } from '../../chain/expect-recovery.ts';
import { setOfCommittee } from '../../chain/validator-sets.ts';
import { readRecoveryFile } from '../../config/genesis-file.ts';
import type { ConsensusKeyConfig, NodeConfig } from '../../config/node-config.ts';
import { beginRecord } from '../../validator/start-validator.ts';
import { recordFolderOf } from '../../validator/validator-disk.ts';
import type { CommandOptions } from '../config-options.ts';
import { type ChainPlace, chainPlace, withStore } from '../store/open-store.ts';
import { makeKeyFiles } from '../validator/validator-folder.ts';

/**
 * `svcd recovery verify`: whether a recovery fits the chain here, and what people compare before they follow it.
 */
export async function verifyRecovery(file: string, options: CommandOptions): Promise<void> {
  const place = await chainPlace(options);
  await showRecovery(place, readRecoveryFile(file));
}

/** Throws a `CliError` unless the recovery fits the last cut of the store; shows it otherwise. */
async function showRecovery(place: ChainPlace, recovery: ChainRecovery): Promise<void> {
  const refused = (reason: string, hint?: string): CliError =>
    new CliError(EXIT.refused, reason, hint === undefined ? {} : { hint });
  if (recovery.chainId !== place.chainId)
    throw refused(`the recovery is of chain ${recovery.chainId}, the store of ${place.chainId}`);
  const { head, before } = await withStore(place, async (store) => {
    const found = headOf(store);
    const { height } = recovery;
    if (found.height !== height)
      throw refused(
        `the recovery is of cut ${height}, and the store here ends with cut ${found.height}`,
        found.height < height
          ? 'let the node sync without the recovery first: it stops at the last cut'
          : 'only a store that ends with the cut can tell; this chain has already continued',
      );
    expectRecovery(recovery, store.view, found.cutId);
    return { head: found, before: committeeOf(store) };
  }).catch((error: unknown) => {
    throw error instanceof RecoveryRefusedError ? refused(error.message) : error;
  });
  note(columns(recovery.members.map((member) => row(member, before))));
  note(
    `${recovery.members.length} of ${before.validators.length} validators agree, with ${shareOf(recovery.set.totalStake, before)} of the stake; the others are jailed`,
  );
  note(`cut ${head.height}: ${head.cutId}`);
  note(`state root ${head.stateRoot}`);
  note(`id in words: ${recoveryWords(recovery)}`);
  result(recovery.id);
}

function headOf({ head }: LedgerStore): Head {
  if (head === null || head.height === 0)
    throw new CliError(
      EXIT.refused,
      'the store has no cuts yet: a chain that never began starts anew with another genesis',
    );
  return head;
}

/** The set that was to sign the cut after the head. */
function committeeOf({ view }: LedgerStore): ValidatorSet {
  return setOfCommittee(view.get('epoch', SINGLE_KEY) as EpochRecord);
}

function row(
  { validatorId, stake }: ChainRecovery['members'][number],
  before: ValidatorSet,
): string[] {
  return [validatorId, `${formatAmount(String(stake))} coins`, shareOf(stake, before)];
}

function shareOf(stake: bigint, { totalStake }: ValidatorSet): string {
  const hundredths = (stake * 10_000n) / totalStake;
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')} %`;
}

/**
 * `svcd recovery assemble`: one recovery out of the statements of its members. Every statement is a recovery with one
 * member.
 */
export async function assembleRecovery(
  files: readonly string[],
  options: CommandOptions,
): Promise<void> {
  const place = await chainPlace(options);
  const out = String(options['out']);
  if (existsSync(out)) throw new CliError(EXIT.refused, `${out} is there already`);
  const statements = files.map((file) => ({ file, statement: readRecoveryFile(file) }));
  const [first, ...others] = statements.map(({ statement }) => statement);
  if (first === undefined) throw new CliError(EXIT.usage, 'there is no statement');
  for (const [index, other] of others.entries()) {
    if (other.cutId === first.cutId) continue;
    const file = files[index + 1];
    throw new CliError(
      EXIT.refused,
      `${file} is about cut ${other.cutId} at height ${other.height}, ${files[0]} about cut ${first.cutId} at height ${first.height}`,
      { hint: 'all operators agree on the last cut first' },
    );
  }
  const members = statements.flatMap(({ statement }) => statement.members);
  expectOnce(members);
  const text = formatRecovery(first, members);
  await showRecovery(place, parseRecovery(text));
  replaceFileSync(out, text);
}

function expectOnce(members: ChainRecovery['members']): void {
  const ids = members.map(({ validatorId }) => validatorId);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice === undefined) return;
  throw new CliError(EXIT.refused, `validator ${twice} has made two statements`, {
    hint: 'take the one whose key its operator will use',
  });
}

const STATEMENT = 'recovery-statement.json';

interface KeyFiles extends ConsensusKeyConfig {
  /** Of the key that follows; there must be nothing. */
  readonly next: ConsensusKeyConfig;
}

/**
 * `svcd recovery key`: the consensus key with which a validator continues after a recovery, and its statement. The record
 * of what the key signed begins here, so that it is whole: a key without it stays silent.
 */
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
