/**
 * Writes the state of a cut as a stream of bytes, with what a node needs to continue from there. Later cuts may be
 * committed meanwhile: the state is frozen until the stream ends.
 */
import { TABLES } from 'svc-ledger';
import { outputOfUnspent } from '../codec/output-bytes.ts';
import { heightKey } from '../commit/keys.ts';
import { StoreUnavailableError } from '../errors.ts';
import type { Entry } from '../key-value/key-value-store.ts';
import type { LedgerStore } from '../ledger-store.ts';
import { type FrozenState, KEPT_RECORDS_MAX } from '../ranges/frozen-state.ts';
import { readChecked, readCut } from '../reader/cut-reader.ts';
import { recentRecords } from './recent-records.ts';
import { type SnapshotHead, SnapshotWriter } from './snapshot-format.ts';

/** The state of a cut as it is to be written. */
interface SnapshotPlan {
  readonly frozen: FrozenState;
  readonly head: SnapshotHead;
  readonly recent: readonly Entry[];
}

/**
 * The state of the head at the time of this call; no cut may be under way. The stream must be read to its end or
 * returned, since the state is frozen as long as it is open.
 */
export function exportSnapshot(store: LedgerStore): AsyncGenerator<Uint8Array, void> {
  return write(planSnapshot(store));
}

/** Reads what must belong to the head, in one turn. Freezing brings the trees up to the head, so it happens only if an export is possible. */
function planSnapshot(store: LedgerStore): SnapshotPlan {
  const { keyValues, chainId } = store;
  const height = store.head?.height ?? 0;
  const cut = readCut(keyValues, height);
  const certificate = readChecked(keyValues, 'certificates', heightKey('certificates', height));
  if (cut === undefined || certificate === undefined)
    throw new StoreUnavailableError('only a certified cut can be exported; wait for the next');
  const recent = recentRecords(keyValues, height);
  const frozen = store.freeze(KEPT_RECORDS_MAX);
  return { frozen, head: { chainId, height, header: cut.header, certificate }, recent };
}

async function* write({ frozen, head, recent }: SnapshotPlan): AsyncGenerator<Uint8Array, void> {
  try {
    const writer = new SnapshotWriter();
    yield writer.head(head);
    for (const table of TABLES) {
      if (table === 'outputs')
        for await (const entries of frozen.scan('unspent'))
          yield writer.records(entries.map(outputOfUnspent));
      else for await (const entries of frozen.scan(table)) yield writer.records(entries);
    }
    yield writer.records(recent);
    yield writer.end();
  } finally {
    frozen.release();
  }
}
