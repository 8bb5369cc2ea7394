/**
 * All validators of a height, read once and ordered by stake.
 */
import type { EpochRecord, ValidatorRecord } from 'svc-ledger';
import { compareByStake, type ValidatorRow } from '../../documents/validator-documents.ts';
import type { Snapshot } from './shared-readers.ts';

export interface Validators {
  readonly epoch: EpochRecord;
  readonly byId: ReadonlyMap<string, ValidatorRecord>;
  readonly byStake: readonly ValidatorRow[];
}

export function validatorsOf(snapshot: Snapshot): Promise<Validators> {
  return snapshot.once('validators', async () => {
    const rows = await snapshot.reader.validators();
    return {
      epoch: await snapshot.reader.epoch(),
      byId: new Map(rows.map(({ id, validator }) => [id, validator])),
      byStake: rows.toSorted(compareByStake),
    };
  });
}
