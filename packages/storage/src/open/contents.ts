/**
 * What lies in the databases of a node, so that the words about a damaged file say what is hurt and what to do.
 */
import { LAYOUT } from '../layout.ts';

export interface Contents {
  /** Names what may have keys from the first to the last one. */
  readonly tablesBetween: (first: Uint8Array, last: Uint8Array) => readonly string[];
  readonly advice: string;
}

export const CHAIN_CONTENTS: Contents = {
  tablesBetween: ([first = 0], [last = 0xff]) =>
    Object.entries(LAYOUT)
      .filter(([, { prefix }]) => prefix >= first && prefix <= last)
      .map(([name]) => name),
  advice:
    'the disk of this machine is failing: run `svcd repair`, restore a backup, import a snapshot with `svcd snapshot import`, run ' +
    '`svcd reindex` on an archive, or sync anew',
};

/** Blocks that wait for a cut; peers have them too. */
export const POOL_CONTENTS: Contents = {
  tablesBetween: () => ['waiting blocks'],
  advice:
    'the disk of this machine is failing; the next start sets the folder aside and fetches blocks anew',
};
