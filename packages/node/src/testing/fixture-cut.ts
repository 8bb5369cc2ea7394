/**
 * Writes the header, body and certificate of a cut, signed by the validators of a development network.
 */
import { bytesOf, type CutInput, type CutResult, type EpochRecord, targetBytes } from 'svc-ledger';
import { CONTEXTS, contextBytes, toHex } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import {
  cutId,
  decodeCutBody,
  type Evidence,
  encodeCertificate,
  encodeCutBody,
  encodeCutHeader,
  evidenceOfVotes,
  evidenceRoot,
  registeredRoot,
  type ValidatorSet,
  type Vote,
  voteSignBytes,
} from 'svc-wasm/protocol';
import type { DevConsensusKey } from '../dev/dev-genesis.ts';

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

export function writeCut(
  place: CutPlace,
  input: CutInput,
  result: CutResult,
  evidence: readonly Evidence[] = [],
): CutBytes {
  const blockIds = input.registered.map(({ id }) => bytesOf(id));
  const body = encodeCutBody({ blockIds, evidence: [...evidence] });
  const decoded = decodeCutBody(body);
  const header = encodeCutHeader({
    protocolVersion: place.protocolVersion ?? 1,
    chainId: bytesOf(place.chainId),
    height: BigInt(input.height),
    parentCutId: bytesOf(place.parentCutId),
    historyRoot: bytesOf(result.historyRoot),
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
    changesRoot: bytesOf(result.changesRoot),
    stateRoot: bytesOf(result.stateRoot),
    workTarget: targetBytes(result.workTarget),
  });
  return { header, body, cutId: toHex(cutId(header)) };
}

/** Two prevotes of one validator for the same round of a height, each for another cut. */
export function contradict(
  chainId: string,
  height: number,
  { set, validatorIndex }: { readonly set: ValidatorSet; readonly validatorIndex: number },
  keys: readonly DevConsensusKey[],
): Evidence {
  const publicKey = toHex(set.validators[validatorIndex]?.publicKey ?? new Uint8Array(0));
  const key = keys.find((candidate) => toHex(candidate.publicKey) === publicKey);
  if (key === undefined) throw new Error(`no key of validator ${validatorIndex}`);
  const { secretKey } = mlDsa65.keygen(key.seed);
  const [one, other] = [1, 2].map((filler) => {
    const content = {
      kind: 'prevote',
      height: BigInt(height),
      round: 0,
      validRound: -1,
      cutId: new Uint8Array(48).fill(filler),
      validatorSetId: set.id,
    } as const;
    const message = voteSignBytes(content, bytesOf(chainId));
    const signature = mlDsa65.sign(secretKey, message, { context: contextBytes(CONTEXTS.vote) });
    return { ...content, validatorIndex, signature };
  }) as [Vote, Vote];
  return evidenceOfVotes(one, other);
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
