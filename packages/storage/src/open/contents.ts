/**
 * What is in the databases of a node, so that the words about a damaged file say what is hurt and what to do.
 */
import { hasChecksum } from '../codec/checksum.ts';
import { TABLES } from '../codec/table-checksums.ts';
import { LAYOUT } from '../layout.ts';
import { isSoundBucket } from '../tree/bucket.ts';

export interface Contents {
  /** Names what may have keys from the first to the last one. */
  readonly tablesBetween: (first: Uint8Array, last: Uint8Array) => readonly string[];
  readonly advice: string;
  /** Whether a record has the checksum that belongs to it, where records have one; it stays with them in compactions. */
  readonly isSoundRecord?: (key: Uint8Array, record: Uint8Array) => boolean;
}

export const CHAIN_CONTENTS: Contents = {
  tablesBetween: ([first = 0], [last = 0xff]) =>
    Object.entries(LAYOUT)
      .filter(([, { prefix }]) => prefix >= first && prefix <= last)
      .map(([name]) => name),
  advice:
    'the disk of this machine is failing: run `svcd repair`, restore a backup, import a snapshot with `svcd snapshot import`, run ' +
    '`svcd reindex` on an archive, or sync anew',
  isSoundRecord: (key, record) => {
    const prefix = key[0] as number;
    if (prefix === LAYOUT.buckets.prefix) return isSoundBucket(record);
    return TABLES[prefix] !== undefined && hasChecksum(key, record);
  },
};

/** Blocks that wait for a cut; peers have them too. */
export const POOL_CONTENTS: Contents = {
  tablesBetween: () => ['waiting blocks'],
  advice:
    'the disk of this machine is failing; the next start sets the folder aside and fetches blocks anew',
};
