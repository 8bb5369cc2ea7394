/**
 * Whether a configured recovery fits the chain here: its cut, the set that was to sign the next one, and the state of that
 * moment. Whatever does not fit stops the node, since everything after would be another chain.
 */
import { type EpochRecord, recoveryFault, SINGLE_KEY, type StateView } from 'svc-ledger';
import type { ChainReader } from 'svc-storage';
import { SvcError, toHex } from 'svc-wasm/base';
import { type ChainRecovery, decodeCutHeader, expectRecoveryOf } from 'svc-wasm/protocol';
import { RecoveryRefusedError } from './chain-errors.ts';
import { setOfCommittee } from './validator-sets.ts';

/** `view` is the state after the cut of the recovery, with this id. */
export function expectRecovery(recovery: ChainRecovery, view: StateView, cutId: string): void {
  expectCut(recovery, cutId);
  const epoch = view.get('epoch', SINGLE_KEY) as EpochRecord;
  try {
    expectRecoveryOf(recovery, setOfCommittee(epoch));
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw refused(recovery, error.message);
  }
  const fault = recoveryFault(view, recovery);
  if (fault !== null) throw refused(recovery, fault);
}

/** Of a chain that has passed the cut already: that it did so with this recovery. */
export async function expectRecovered(reader: ChainReader, recovery: ChainRecovery): Promise<void> {
  const { height, set } = recovery;
  const cut = await reader.cut(height);
  if (cut !== undefined) expectCut(recovery, cut.cutId);
  const next = await reader.cut(height + 1);
  if (next === undefined) return;
  const named = toHex(decodeCutHeader(next.header).validatorSetId);
  if (named !== toHex(set.id))
    throw refused(recovery, `the chain here continued with the set ${named}`);
}

function expectCut(recovery: ChainRecovery, cutId: string): void {
  if (recovery.cutId !== cutId)
    throw refused(recovery, `the chain here has cut ${cutId} at that height`);
}

function refused({ height, cutId, id }: ChainRecovery, why: string): RecoveryRefusedError {
  return new RecoveryRefusedError(
    `the recovery ${id} of cut ${cutId} at height ${height} does not fit: ${why}`,
  );
}
