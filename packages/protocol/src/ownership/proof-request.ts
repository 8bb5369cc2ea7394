/**
 * The challenge of an address proof: the asking service, address, chain and expiry, with a nonce drawn here. Every
 * field is part of what is signed; `docs/protocol.md` 13.
 */
import { toHex } from '../base/bytes.ts';
import { Fields } from '../base/fields.ts';
import type { Json } from '../base/json.ts';
import { parseJson } from '../base/json.ts';
import { LABELS } from '../base/labels.ts';
import type { Network } from '../base/networks.ts';
import { expectNetwork, NETWORKS } from '../base/networks.ts';
import { randomBytes } from '../base/random.ts';
import { ID_BYTES } from '../base/sizes.ts';
import { SvcError } from '../base/svc-error.ts';
import { encodeUtf8 } from '../base/utf8.ts';
import { Writer } from '../base/writer.ts';
import { hashLabel } from '../kernel/hash-label.ts';
import { addressType, decodeAddress, encodeAddress } from '../text/address.ts';

export const PROOF_VERSION = 1;
export const NONCE_BYTES = 32;
const MILLIS_MAX = BigInt(Number.MAX_SAFE_INTEGER);
const DOMAIN = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::[1-9][0-9]{0,4})?$/;
const ASKED = ['network', 'chain_id', 'address', 'domain', 'expires_at_millis'] as const;

export interface ProofRequest {
  readonly network: Network;
  readonly chainId: Uint8Array;
  readonly address: Uint8Array;
  readonly domain: string;
  readonly nonce: Uint8Array;
  readonly expiresAtMillis: bigint;
}

/** What `addressProofRequest` takes. */
export interface AddressProofChallenge {
  readonly network: Network;
  readonly chain_id: string;
  readonly address: string;
  readonly domain: string;
  readonly expires_at_millis: string;
}

/** What `addressProofRequest` returns and a proof answers. */
export interface AddressProofRequest extends AddressProofChallenge {
  readonly version: string;
  readonly nonce: string;
}

/**
 * Makes an `AddressProofRequest` from an `AddressProofChallenge`; the module has no clock, so the
 * caller says when it ends.
 */
export function addressProofRequest(requestJson: string): string {
  const fields = Fields.parse(requestJson, 'request', ASKED);
  return JSON.stringify(describe({ ...readAsked(fields), nonce: randomBytes(NONCE_BYTES) }));
}

export function readProofRequest(requestJson: string): ProofRequest {
  return readProofRequestDocument(parseJson(requestJson, 'request'));
}

function readProofRequestDocument(document: Json): ProofRequest {
  const fields = new Fields(document, 'request', ['version', ...ASKED, 'nonce']);
  expectProofVersion(fields);
  return { ...readAsked(fields), nonce: fields.hex('nonce', NONCE_BYTES) };
}

export function expectProofVersion(fields: Fields): void {
  const version = fields.decimal('version', { max: 0xffn });
  if (version !== BigInt(PROOF_VERSION)) {
    const found = `expected ${PROOF_VERSION}, found ${version}`;
    throw new SvcError('unsupported_version', found, { path: fields.at('version') });
  }
}

/** What the key of the address signs. */
export function proofMessage(request: ProofRequest): Uint8Array {
  const data = new Writer()
    .u8(PROOF_VERSION)
    .u8(NETWORKS[request.network].code)
    .raw(request.chainId)
    .raw(request.address)
    .counted(encodeUtf8(request.domain))
    .raw(request.nonce)
    .u64(request.expiresAtMillis)
    .finish();
  return hashLabel(LABELS.addressProof, data);
}

function readAsked(fields: Fields): Omit<ProofRequest, 'nonce'> {
  const network = expectNetwork(fields.value('network'), fields.at('network'));
  const address = decodeAddress(fields.value('address'), network, fields.at('address'));
  const type = addressType(address);
  if (type !== 'key') {
    throw new SvcError('not_provable', `a ${type} address has no single key that could sign`, {
      path: fields.at('address'),
    });
  }
  const domain = fields.string('domain');
  if (!DOMAIN.test(domain)) {
    throw new SvcError('bad_text', 'expected a host name in lower case, such as example.org', {
      path: fields.at('domain'),
    });
  }
  const chainId = fields.hex('chain_id', ID_BYTES);
  const expiresAtMillis = fields.decimal('expires_at_millis', { min: 1n, max: MILLIS_MAX });
  return { network, chainId, address, domain, expiresAtMillis };
}

function describe(request: ProofRequest): AddressProofRequest {
  return {
    version: String(PROOF_VERSION),
    network: request.network,
    chain_id: toHex(request.chainId),
    address: encodeAddress(request.address, request.network),
    domain: request.domain,
    nonce: toHex(request.nonce),
    expires_at_millis: String(request.expiresAtMillis),
  };
}
