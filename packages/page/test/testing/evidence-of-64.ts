/**
 * An evidence file of a head that all 64 members of the largest committee signed: what the page is given to prove where a
 * development network has four validators.
 */
import type { Evidence } from 'svc-client/evidence';
import { CONTEXTS, compareBytes, contextBytes, toHex } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import {
  type CutHeader,
  cutId,
  encodeCertificate,
  encodeCutHeader,
  encodeValidatorSet,
  NO_ROUND,
  trustedSetJson,
  validatorSetId,
  voteSignBytes,
} from 'svc-wasm/protocol';

const SIGNERS = 64;
const NETWORK = 'development';
const HEIGHT = 9;
const START_MILLIS = 1_800_000_000_000;
const PACE_MILLIS = 2_500;

interface Committee {
  readonly secretKeys: readonly Uint8Array[];
  readonly encoded: Uint8Array;
}

function committeeOf(count: number): Committee {
  const members = Array.from({ length: count }, (_, place) => {
    const seed = new Uint8Array(32).fill(place + 1);
    return { id: new Uint8Array(48).fill(place + 1), stake: 1n, ...mlDsa65.keygen(seed) };
  }).sort((a, b) => compareBytes(a.id, b.id));
  return {
    secretKeys: members.map(({ secretKey }) => secretKey),
    encoded: encodeValidatorSet(members),
  };
}

function headerOf(height: number, setId: Uint8Array): CutHeader {
  const zeros = new Uint8Array(48);
  return {
    protocolVersion: 1,
    chainId: new Uint8Array(48).fill(7),
    height: BigInt(height),
    parentCutId: zeros,
    historyRoot: zeros,
    proposer: 0,
    time: BigInt(START_MILLIS + height * PACE_MILLIS),
    validatorSetId: setId,
    nextValidatorSetId: setId,
    previousRound: 0,
    previousSigners: (1n << BigInt(SIGNERS)) - 1n,
    registeredRoot: zeros,
    registeredCount: 0,
    registeredBytes: 0,
    evidenceRoot: zeros,
    outcomeRoot: zeros,
    changesRoot: zeros,
    stateRoot: new Uint8Array(48).fill(height),
    workTarget: new Uint8Array(32),
  };
}

/** Needs the module to be loaded. */
export function evidenceOf64(): Evidence {
  const { secretKeys, encoded } = committeeOf(SIGNERS);
  const setId = validatorSetId(encoded);
  const [before, head] = [HEIGHT - 1, HEIGHT].map((height) => headerOf(height, setId)) as [
    CutHeader,
    CutHeader,
  ];
  const encodedHead = encodeCutHeader(head);
  const certificate = certificateOf(head, encodedHead, secretKeys);
  const pinnedCutId = cutId(encodeCutHeader(before));
  const chainId = toHex(head.chainId);
  const named = {
    height: HEIGHT,
    cut_id: toHex(cutId(encodedHead)),
    state_root: toHex(head.stateRoot),
  };
  const proof = { header_hex: toHex(encodedHead), certificate_hex: toHex(certificate) };
  const documents: readonly (readonly [string, object])[] = [
    ['/v1/chain/head', { ...chainHead(head, chainId), cut: named }],
    [`/v1/cuts/${HEIGHT}/certificate`, { api_version: 1, height: HEIGHT, ...proof }],
  ];
  const { height, time } = before;
  return {
    format: 'svc-evidence-v1',
    atMillis: Number(head.time),
    claim: { kind: 'head' },
    trust: {
      format: 'svc-trust-v1',
      network: NETWORK,
      chainId,
      pinnedHeight: HEIGHT - 1,
      pinnedCutId: toHex(pinnedCutId),
      pinnedAtMillis: Number(time),
      height: HEIGHT - 1,
      cutId: toHex(pinnedCutId),
      trusted: trustedSetJson({
        network: NETWORK,
        chainId: head.chainId,
        height,
        time,
        cutId: pinnedCutId,
        encodedSet: encoded,
      }),
    },
    answers: documents.map(([target, document]) => ({
      method: 'GET',
      target,
      body: null,
      status: 200,
      answer: JSON.stringify(document),
    })),
  };
}

function chainHead(head: CutHeader, chainId: string): object {
  return {
    api_version: 1,
    network: NETWORK,
    chain_id: chainId,
    time_millis: Number(head.time),
    epoch: 0,
  };
}

function certificateOf(
  header: CutHeader,
  encoded: Uint8Array,
  secretKeys: readonly Uint8Array[],
): Uint8Array {
  const content = {
    kind: 'precommit',
    height: header.height,
    round: 0,
    validRound: NO_ROUND,
    cutId: cutId(encoded),
    validatorSetId: header.validatorSetId,
  } as const;
  const message = voteSignBytes(content, header.chainId);
  const context = contextBytes(CONTEXTS.vote);
  const signatures = secretKeys.map((key) => mlDsa65.sign(key, message, { context }));
  return encodeCertificate({ ...content, signers: (1n << BigInt(SIGNERS)) - 1n, signatures });
}
