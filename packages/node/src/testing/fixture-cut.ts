/**
 * Writes the header, body and certificate of a cut, signed by the validators of a development network.
 */
import { bytesOf, type CutInput, type CutResult, type EpochRecord, targetBytes } from 'svc-ledger';
import { CONTEXTS, contextBytes, toHex } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import {
  cutId,
  decodeCutBody,
  encodeCertificate,
  encodeCutBody,
  encodeCutHeader,
  evidenceRoot,
  registeredRoot,
  voteSignBytes,
} from 'svc-wasm/protocol';
import type { DevConsensusKey } from '../dev/dev-keys.ts';

export interface CutBytes {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
  readonly cutId: string;
}

export interface CutPlace {
  readonly chainId: string;
  readonly parentCutId: string;
  /** That of this release unless said otherwise. */
  readonly protocolVersion?: number;
}

export function writeCut(place: CutPlace, input: CutInput, result: CutResult): CutBytes {
  const blockIds = input.registered.map(({ id }) => bytesOf(id));
  const body = encodeCutBody({ blockIds, evidence: [] });
  const decoded = decodeCutBody(body);
  const header = encodeCutHeader({
    protocolVersion: place.protocolVersion ?? 1,
    chainId: bytesOf(place.chainId),
    height: BigInt(input.height),
    parentCutId: bytesOf(place.parentCutId),
    proposer: 0,
    time: BigInt(input.timeMillis),
    validatorSetId: bytesOf(result.validatorSetId),
    nextValidatorSetId: bytesOf(result.nextValidatorSetId),
    previousRound: 0,
    previousSigners: input.previousSigners,
    registeredRoot: registeredRoot(decoded.blockIds),
    registeredCount: blockIds.length,
    registeredBytes: input.registered.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0),
    evidenceRoot: evidenceRoot(decoded.evidence),
    outcomeRoot: bytesOf(result.outcomeRoot),
    stateRoot: bytesOf(result.stateRoot),
    workTarget: targetBytes(result.workTarget),
  });
  return { header, body, cutId: toHex(cutId(header)) };
}

/** The precommits of all members whose keys are given. */
export function certify(
  {
    chainId,
    height,
    cut,
    epoch,
  }: { chainId: string; height: number; cut: CutBytes; epoch: EpochRecord },
  keys: readonly DevConsensusKey[],
): Uint8Array {
  const content = {
    kind: 'precommit',
    height: BigInt(height),
    round: 0,
    validRound: -1,
    cutId: bytesOf(cut.cutId),
    validatorSetId: bytesOf(epoch.validatorSetId),
  } as const;
  const message = voteSignBytes(content, bytesOf(chainId));
  const context = contextBytes(CONTEXTS.vote);
  let signers = 0n;
  const signatures: Uint8Array[] = [];
  epoch.members.forEach(({ publicKey }, index) => {
    const key = keys.find((candidate) => toHex(candidate.publicKey) === toHex(publicKey));
    if (key === undefined) return;
    signers |= 1n << BigInt(index);
    const { secretKey } = mlDsa65.keygen(key.seed);
    signatures.push(mlDsa65.sign(secretKey, message, { context }));
  });
  return encodeCertificate({ ...content, signers, signatures });
}
