/**
 * Address proofs: made with the key of the address, checked against the request they answer.
 * The signature has a context of its own, so it can never authorise a payment.
 */
import { equalBytes, toHex } from '../base/bytes.ts';
import { Fields } from '../base/fields.ts';
import { expectInteger } from '../base/integer.ts';
import { CONTEXTS, contextBytes } from '../base/labels.ts';
import type { Network } from '../base/networks.ts';
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from '../base/sizes.ts';
import { SvcError } from '../base/svc-error.ts';
import type { KeyPair } from '../kernel/ml-dsa.ts';
import { mlDsa65 } from '../kernel/ml-dsa.ts';
import { encodeAddress } from '../text/address.ts';
import { keyAddressBytes } from '../text/address-documents.ts';
import {
  expectProofVersion,
  NONCE_BYTES,
  PROOF_VERSION,
  proofMessage,
  readProofRequest,
} from './proof-request.ts';

const PROOF_FIELDS = ['version', 'nonce', 'public_key_hex', 'signature_hex'];

/** What `WalletRoot.proveAddress` returns. */
export interface AddressProof {
  readonly version: string;
  readonly nonce: string;
  readonly public_key_hex: string;
  readonly signature_hex: string;
}

/** What `verifyAddressProof` returns. */
export interface AddressProofVerification {
  readonly verified: true;
  readonly network: Network;
  readonly chain_id: string;
  readonly address: string;
  readonly domain: string;
}

/** Answers a request with the key of its address; any other key is refused. */
export function makeAddressProof({ publicKey, secretKey }: KeyPair, requestJson: string): string {
  const request = readProofRequest(requestJson);
  if (!equalBytes(keyAddressBytes(publicKey), request.address)) {
    throw new SvcError('wrong_request', 'the key at this path has another address', {
      path: 'request.address',
    });
  }
  const context = contextBytes(CONTEXTS.addressProof);
  const signature = mlDsa65.sign(secretKey, proofMessage(request), { context });
  return JSON.stringify({
    version: String(PROOF_VERSION),
    nonce: toHex(request.nonce),
    public_key_hex: toHex(publicKey),
    signature_hex: toHex(signature),
  } satisfies AddressProof);
}

/**
 * Checks that a proof answers the request in time. Answers an `AddressProofVerification`;
 * whatever does not hold is an error. A nonce is accepted once: remembering
 * which requests have been answered is the caller's part.
 */
export function verifyAddressProof(
  proofJson: string,
  requestJson: string,
  nowMillis: number,
): string {
  const request = readProofRequest(requestJson);
  const fields = Fields.parse(proofJson, 'proof', PROOF_FIELDS);
  expectProofVersion(fields);
  expectInteger(nowMillis, 'now_millis', 0, Number.MAX_SAFE_INTEGER);
  if (BigInt(nowMillis) >= request.expiresAtMillis) {
    const found = `expired at ${request.expiresAtMillis}, and it is ${nowMillis}`;
    throw new SvcError('expired', found, { path: 'request.expires_at_millis' });
  }
  if (!equalBytes(fields.hex('nonce', NONCE_BYTES), request.nonce)) {
    throw new SvcError('wrong_request', 'answers another request', { path: 'proof.nonce' });
  }
  const publicKey = fields.hex('public_key_hex', PUBLIC_KEY_BYTES);
  if (!equalBytes(keyAddressBytes(publicKey), request.address)) {
    throw new SvcError('wrong_request', 'is not the key of the requested address', {
      path: 'proof.public_key_hex',
    });
  }
  const signature = fields.hex('signature_hex', SIGNATURE_BYTES);
  const context = contextBytes(CONTEXTS.addressProof);
  if (!mlDsa65.verify(publicKey, proofMessage(request), signature, { context })) {
    throw new SvcError('bad_signature', 'does not fit the request', {
      path: 'proof.signature_hex',
    });
  }
  return JSON.stringify({
    verified: true,
    network: request.network,
    chain_id: toHex(request.chainId),
    address: encodeAddress(request.address, request.network),
    domain: request.domain,
  } satisfies AddressProofVerification);
}
