/**
 * A decided cut's bytes, for benchmarks: real sizes, a certificate of 43 signatures.
 */
import type { CutInput, CutResult } from 'svc-ledger';
import type { CutCommit } from 'svc-storage';
import { encodeResultHeader } from 'svc-storage/testing';
import { fromHex } from 'svc-wasm/base';
import { cutId, encodeCertificate, encodeCutBody } from 'svc-wasm/protocol';

const SIGNERS = 43;
const SIGNATURE_BYTES = 3_309;

export function commitOf(
  input: CutInput,
  result: CutResult,
  chain: { readonly chainId: string; readonly parentCutId: string },
): CutCommit {
  const blockIds = input.registered.map(({ id }) => fromHex(id));
  const header = encodeResultHeader(input, result, { ...chain, bytesPerBlock: 64_000 });
  const certificate = encodeCertificate({
    height: BigInt(input.height),
    round: 0,
    cutId: cutId(header),
    validatorSetId: fromHex(result.validatorSetId),
    signers: (1n << BigInt(SIGNERS)) - 1n,
    signatures: Array.from({ length: SIGNERS }, () => new Uint8Array(SIGNATURE_BYTES)),
  });
  const body = encodeCutBody({ blockIds, evidence: [] });
  return { input, result, header, body, certificate, blocks: [] };
}
