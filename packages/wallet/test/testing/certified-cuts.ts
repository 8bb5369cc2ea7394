/**
 * Committees of one validator and cuts that they sign, for tests of what the wallet believes of a node.
 */
import { CONTEXTS, contextBytes, toHex } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import {
  cutId,
  decodeValidatorSet,
  encodeCertificate,
  encodeCutHeader,
  encodeValidatorSet,
  NO_ROUND,
  voteSignBytes,
} from 'svc-wasm/protocol';

export const NETWORK = 'testnet100';
export const TIME = 1_800_000_000_000;
export const CHAIN_ID = new Uint8Array(48).fill(7);
export const ZEROS = new Uint8Array(48);

export interface Committee {
  readonly secretKey: Uint8Array;
  readonly encoded: Uint8Array;
  readonly id: Uint8Array;
}

/** A set of one validator, another one for each name. */
export function committee(name: number): Committee {
  const { publicKey, secretKey } = mlDsa65.keygen(new Uint8Array(32).fill(name));
  const encoded = encodeValidatorSet([{ id: new Uint8Array(48).fill(name), publicKey, stake: 1n }]);
  return { secretKey, encoded, id: decodeValidatorSet(encoded).id };
}

export interface SignedCut {
  readonly cut_id: string;
  readonly header_hex: string;
  readonly certificate_hex: string;
}

export interface CutFields {
  readonly height: number;
  readonly time: number;
  readonly signers: Committee;
  readonly stateRoot?: Uint8Array;
  readonly parentCutId?: Uint8Array;
}

/** A cut with the certificate of its committee. */
export function signedCut(fields: CutFields): SignedCut {
  const { height, parentCutId = ZEROS, signers, stateRoot = ZEROS, time } = fields;
  const { id, secretKey } = signers;
  const header = encodeCutHeader({
    protocolVersion: 1,
    chainId: CHAIN_ID,
    height: BigInt(height),
    parentCutId,
    proposer: 0,
    time: BigInt(time),
    validatorSetId: id,
    nextValidatorSetId: id,
    previousRound: 0,
    previousSigners: 1n,
    registeredRoot: ZEROS,
    registeredCount: 0,
    registeredBytes: 0,
    evidenceRoot: ZEROS,
    outcomeRoot: ZEROS,
    stateRoot,
    workTarget: new Uint8Array(32),
  });
  const vote = {
    kind: 'precommit',
    height: BigInt(height),
    round: 0,
    validRound: NO_ROUND,
    cutId: cutId(header),
    validatorSetId: id,
  } as const;
  const context = contextBytes(CONTEXTS.vote);
  const signature = mlDsa65.sign(secretKey, voteSignBytes(vote, CHAIN_ID), { context });
  const certificate = encodeCertificate({ ...vote, signers: 1n, signatures: [signature] });
  return {
    cut_id: toHex(vote.cutId),
    header_hex: toHex(header),
    certificate_hex: toHex(certificate),
  };
}
