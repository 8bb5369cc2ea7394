/**
 * Committees and cuts that they sign, for tests of what the wallet believes of a node.
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
  readonly secretKeys: readonly Uint8Array[];
  readonly encoded: Uint8Array;
  readonly id: Uint8Array;
}

/** A set of validators of the same stake, other ones for each name; the names ascend. */
export function committee(...names: readonly number[]): Committee {
  const keys = names.map((name) => mlDsa65.keygen(new Uint8Array(32).fill(name)));
  const encoded = encodeValidatorSet(
    keys.map(({ publicKey }, at) => ({
      id: new Uint8Array(48).fill(names[at] as number),
      publicKey,
      stake: 1n,
    })),
  );
  const secretKeys = keys.map(({ secretKey }) => secretKey);
  return { secretKeys, encoded, id: decodeValidatorSet(encoded).id };
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
  readonly outcomeRoot?: Uint8Array;
  readonly changesRoot?: Uint8Array;
  /** How many of the committee sign, from the first on; all without. */
  readonly signing?: number;
}

/** A cut with the certificate of its committee. */
export function signedCut(fields: CutFields): SignedCut {
  const { height, parentCutId = ZEROS, signers, stateRoot = ZEROS, time } = fields;
  const { id, secretKeys } = signers;
  const signing = secretKeys.slice(0, fields.signing ?? secretKeys.length);
  const header = encodeCutHeader({
    protocolVersion: 1,
    chainId: CHAIN_ID,
    height: BigInt(height),
    parentCutId,
    historyRoot: ZEROS,
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
    outcomeRoot: fields.outcomeRoot ?? ZEROS,
    changesRoot: fields.changesRoot ?? ZEROS,
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
  const message = voteSignBytes(vote, CHAIN_ID);
  const signatures = signing.map((key) => mlDsa65.sign(key, message, { context }));
  const bits = (1n << BigInt(signing.length)) - 1n;
  const certificate = encodeCertificate({ ...vote, signers: bits, signatures });
  return {
    cut_id: toHex(vote.cutId),
    header_hex: toHex(header),
    certificate_hex: toHex(certificate),
  };
}
