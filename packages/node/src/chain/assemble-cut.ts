/**
 * Writes the header and body of a cut from its outcome on the ledger.
 */
import { decodeCut, type EncodedCut } from 'svc-consensus/machine';
import { bytesOf, targetBytes } from 'svc-ledger';
import {
  type Evidence,
  encodeCutBody,
  encodeCutHeader,
  evidenceRoot,
  PROTOCOL_VERSION,
  registeredRoot,
} from 'svc-wasm/protocol';
import type { CutOutcome } from './executions.ts';

export interface CutFrame {
  readonly chainId: Uint8Array;
  /** The index of the proposer in the set that signs the cut. */
  readonly proposer: number;
  readonly previousRound: number;
  readonly evidence: readonly Evidence[];
}

export function assembleCut(frame: CutFrame, { input, result, blocks }: CutOutcome): EncodedCut {
  const blockIds = blocks.map(({ block }) => bytesOf(block.id));
  const header = encodeCutHeader({
    protocolVersion: PROTOCOL_VERSION,
    chainId: frame.chainId,
    height: BigInt(input.height),
    parentCutId: bytesOf(input.parentCutId),
    historyRoot: bytesOf(result.historyRoot),
    proposer: frame.proposer,
    time: BigInt(input.timeMillis),
    validatorSetId: bytesOf(result.validatorSetId),
    nextValidatorSetId: bytesOf(result.nextValidatorSetId),
    previousRound: frame.previousRound,
    previousSigners: input.previousSigners,
    registeredRoot: registeredRoot(blockIds),
    registeredCount: blocks.length,
    registeredBytes: blocks.reduce((sum, { block }) => sum + block.bodyBytes, 0),
    evidenceRoot: evidenceRoot(frame.evidence),
    outcomeRoot: bytesOf(result.outcomeRoot),
    changesRoot: bytesOf(result.changesRoot),
    stateRoot: bytesOf(result.stateRoot),
    workTarget: targetBytes(result.workTarget),
  });
  return decodeCut(header, encodeCutBody({ blockIds, evidence: frame.evidence }));
}
