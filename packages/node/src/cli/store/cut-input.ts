/**
 * Turns a stored cut back into what the ledger executes.
 */
import {
  bytesOf,
  type CutInput,
  type EpochRecord,
  SINGLE_KEY,
  type WireTransactions,
} from 'svc-ledger';
import { type BlockBytes, type LedgerStore, StoreDamagedError, type StoredCut } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { decodeCutBody, decodeCutHeader, type Manifest } from 'svc-wasm/protocol';
import { judgeEvidence } from '../../chain/evidence.ts';
import type { ValidatorSets } from '../../chain/validator-sets.ts';
import { readWorkBlock } from '../../chain/work-blocks.ts';

export interface InputSources {
  /** The store being built, whose head is the cut before. */
  readonly store: LedgerStore;
  readonly sets: ValidatorSets;
  readonly manifest: Manifest;
  readonly transactions: WireTransactions;
}

export function cutInputOf(cut: StoredCut, sources: InputSources): CutInput {
  const { store, sets, manifest, transactions } = sources;
  const header = decodeCutHeader(cut.header);
  const { evidence } = decodeCutBody(cut.body);
  const blockOf = (bytes: BlockBytes) => readWorkBlock(bytes, manifest, transactions);
  sets.learn(store.view.get('epoch', SINGLE_KEY) as EpochRecord);
  const { height } = cut;
  const verdict = judgeEvidence(evidence, sets, bytesOf(store.chainId), {
    height,
    isCertified: false,
  });
  if (verdict.type !== 'convicts') {
    throw new StoreDamagedError(`cut ${cut.height} has evidence that convicts nobody; sync anew`);
  }
  return {
    height: cut.height,
    parentCutId: toHex(header.parentCutId),
    timeMillis: Number(header.time),
    previousSigners: header.previousSigners,
    registered: cut.registered.map((bytes) => blockOf(bytes).block),
    evidence: verdict.offences,
    executed: cut.executed.map((bytes) => {
      const { block, transactions: executed } = blockOf(bytes);
      return { id: block.id, transactions: executed };
    }),
  };
}
