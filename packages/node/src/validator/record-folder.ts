/**
 * Where the record of a consensus key is. The first key of a data directory has the folder `own`; each key that follows
 * it by a rotation has one that is named after it, and the folders of the keys before it stay as they are.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  decodeSignState,
  height,
  openSigner,
  SILENT_FOR_GOOD,
  type SignState,
} from 'svc-consensus/machine';
import type { SeatKey } from 'svc-consensus/shell';
import { FileSignState } from 'svc-consensus/signer';
import { equalBytes, toHex } from 'svc-wasm/base';

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
