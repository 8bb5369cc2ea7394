/**
 * The header of a cut as its result asks for it, for chains of tests and benchmarks that have no committee: proposed by
 * the first validator in the first round, without evidence.
 */
import type { CutInput, CutResult } from 'svc-ledger';
import { fromHex } from 'svc-wasm/base';
import { encodeCutHeader, evidenceRoot, registeredRoot } from 'svc-wasm/protocol';

export interface ResultHeaderOptions {
  readonly chainId: string;
  readonly parentCutId: string;
  /** The declared size of every registered block. */
  readonly bytesPerBlock?: number;
}

export function encodeResultHeader(
  input: CutInput,
  result: CutResult,
  { chainId, parentCutId, bytesPerBlock = 1_000 }: ResultHeaderOptions,
): Uint8Array {
  const blockIds = input.registered.map(({ id }) => fromHex(id));
  return encodeCutHeader({
    protocolVersion: 1,
    chainId: fromHex(chainId),
    height: BigInt(input.height),
    parentCutId: fromHex(parentCutId),
    historyRoot: fromHex(result.historyRoot),
    proposer: 0,
    time: BigInt(input.timeMillis),
    validatorSetId: fromHex(result.validatorSetId),
    nextValidatorSetId: fromHex(result.nextValidatorSetId),
    previousRound: 0,
    previousSigners: input.previousSigners,
    registeredRoot: registeredRoot(blockIds),
    registeredCount: blockIds.length,
    registeredBytes: bytesPerBlock * blockIds.length,
    evidenceRoot: evidenceRoot([]),
    outcomeRoot: fromHex(result.outcomeRoot),
    changesRoot: fromHex(result.changesRoot),
    stateRoot: fromHex(result.stateRoot),
    workTarget: fromHex(result.workTarget.toString(16).padStart(64, '0')),
  });
}
