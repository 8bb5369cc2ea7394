/**
 * Where a validator keeps its record of what it signed and the files of the height in progress: a directory in a node,
 * memory in a development network.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { LogFile, replaceFileSync } from 'svc-base/node';
import {
  decodeSignState,
  height,
  type KeyLock,
  openSigner,
  SILENT_FOR_GOOD,
  type SignState,
  type SignStateStorage,
} from 'svc-consensus/machine';
import type {
  HeartbeatRecord,
  HeartbeatStore,
  SeatKey,
  LogFile as ValidatorLog,
} from 'svc-consensus/shell';
import { FileSignState } from 'svc-consensus/signer';
import { equalBytes, Fields, SvcError, toHex } from 'svc-wasm/base';

const FIELDS = ['epoch', 'transaction_id', 'wire_hex', 'sum'];
const ID_BYTES = 48;
const SUM_CHARACTERS_MAX = 8;

/**
 * The heartbeat of an epoch on disk, so that a node that starts again sends the same one and not a second.
 */
export class HeartbeatFile implements HeartbeatStore {
  readonly #path: string;

  /** The directory exists. */
  constructor(directory: string) {
    this.#path = join(directory, 'heartbeat.json');
  }

  /** What was sent last; a file that cannot be read, or is not what was written, counts as none, since a repeated heartbeat costs nothing. */
  read(): HeartbeatRecord | undefined {
    try {
      const fields = Fields.parse(readFileSync(this.#path, 'utf8'), '', FIELDS);
      const record = {
        epoch: Number(fields.decimal('epoch', { max: BigInt(Number.MAX_SAFE_INTEGER) })),
        transactionId: toHex(fields.hex('transaction_id', ID_BYTES)),
        wire: fields.hex('wire_hex'),
      };
      return fields.string('sum', SUM_CHARACTERS_MAX) === sumOf(record) ? record : undefined;
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (isMissing || error instanceof SvcError) return undefined;
      throw error;
    }
  }

  write(record: HeartbeatRecord): void {
    const { epoch, transactionId, wire } = record;
    const document = {
      epoch: String(epoch),
      transaction_id: transactionId,
      wire_hex: toHex(wire),
      sum: sumOf(record),
    };
    replaceFileSync(this.#path, `${JSON.stringify(document)}\n`);
  }
}

function sumOf({ epoch, transactionId, wire }: HeartbeatRecord): string {
  return crc32(wire, crc32(`${epoch} ${transactionId}`)).toString(16);
}

const FIRST = 'own';
const NAME_DIGITS = 16;

type Key = Pick<SeatKey, 'id' | 'keyHash'>;

/** The name of the folder in `<data>/validator`; a record that cannot be read counts as that of the first key. */
export function recordFolderOf(parent: string, key: Key): string {
  const first = recordIn(join(parent, FIRST));
  const isOfAnother = first !== undefined && !equalBytes(first.keyId, key.id);
  const named = `key-${key.keyHash.slice(0, NAME_DIGITS)}`;
  return isOfAnother || existsSync(join(parent, named)) ? named : FIRST;
}

/** Whether the record of the key says that it was replaced. */
export function isRetired(parent: string, key: Key): boolean {
  return recordOf(parent, key)?.silentThrough === SILENT_FOR_GOOD;
}

/** The record of the key, if there is one. */
export function recordOf(parent: string, key: Key): SignState | undefined {
  const record = recordIn(join(parent, recordFolderOf(parent, key)));
  return record !== undefined && equalBytes(record.keyId, key.id) ? record : undefined;
}

/**
 * Marks the records of keys that the chain has replaced, by a rotation or a recovery: they never sign again, whatever the
 * node is started with later.
 */
export function retireReplaced(parent: string, isReplaced: (keyHash: string) => boolean): void {
  if (!existsSync(parent)) return;
  for (const name of readdirSync(parent)) {
    const record = recordIn(join(parent, name));
    if (record !== undefined && isReplaced(toHex(record.keyId))) retire(join(parent, name), record);
  }
}

/** A record that is stopped or retired stays as it is. */
function retire(directory: string, { keyId }: SignState): void {
  const lock = { acquire: () => true, release: () => {} };
  const key = { id: keyId, sign: () => new Uint8Array(0) };
  const storage = new FileSignState(directory);
  const options = { chainHeight: height(0), newSignState: false };
  const opened = openSigner({ storage, lock, key }, options);
  if (opened.type === 'open') opened.signer.retire();
}

function recordIn(directory: string): SignState | undefined {
  if (!existsSync(directory)) return undefined;
  const bytes = new FileSignState(directory).read();
  return bytes === undefined ? undefined : decodeSignState(bytes);
}

export interface ValidatorDisk {
  /** Names the place to an operator. */
  readonly place: string;
  readonly signState: SignStateStorage;
  readonly heartbeats: HeartbeatStore;
  /** In place of the lock that one process of a machine has for a key; refused on every network but the development network. */
  readonly lock?: KeyLock;
  /** Makes the place ready; only the sign state may be read before. */
  open(): void;
  openLog(name: string): ValidatorLog;
}

export class ValidatorDirectory implements ValidatorDisk {
  readonly place: string;
  readonly heartbeats: HeartbeatStore;
  readonly signState: SignStateStorage;

  /** `<data>/validator/<name>`. */
  constructor(directory: string) {
    this.place = directory;
    this.heartbeats = new HeartbeatFile(directory);
    this.signState = new FileSignState(directory);
  }

  open(): void {
    mkdirSync(this.place, { recursive: true, mode: 0o700 });
  }

  openLog(name: string): ValidatorLog {
    return new LogFile(join(this.place, name), { kind: `validator ${name}` });
  }
}
