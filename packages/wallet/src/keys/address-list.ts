/**
 * A list of a wallet's addresses for a machine that watches them, signed with the key of the wallet's first address. A
 * later list begins where the one before has ended. The signature is an address proof whose nonce is the hash of the
 * list: for a chain that does not exist and a name that no host can have, so that it is worth nothing elsewhere. The
 * daemon answers no request for that name. Whether the signer is the right one is for people to compare.
 */
import { createHash } from 'node:crypto';
import {
  type AddressProof,
  type AddressProofRequest,
  addressFromPublicKey,
  type Network,
  verifyAddressProof,
  type WalletRoot,
} from 'svc-wasm';
import { ACCOUNT } from './key-ring.ts';

/** What the proof is made for, in place of a host. */
export const LIST_DOMAIN = 'address-list.svc-wallet.invalid';
const NO_CHAIN = '00'.repeat(48);
const PROOF_VERSION = '1';

export interface ListedAddress {
  readonly address: string;
  readonly label: string | null;
}

export interface AddressList {
  readonly network: Network;
  /** The first address of the wallet. */
  readonly signer: string;
  /** The position of the first address of this list. */
  readonly first: number;
  readonly addresses: readonly ListedAddress[];
}

export interface SignedAddressList extends AddressList {
  readonly public_key_hex: string;
  readonly signature_hex: string;
}

/** Lists receiving addresses from a position on, one for each label. */
export function signAddressList(
  root: WalletRoot,
  network: Network,
  first: number,
  labels: readonly (string | null)[],
): SignedAddressList {
  const addressAt = (position: number): string =>
    addressFromPublicKey(root.derivePublicKey(ACCOUNT, 0, position), network);
  const addresses = labels.map((label, at) => ({ address: addressAt(first + at), label }));
  const list = { network, signer: addressAt(0), first, addresses };
  const request = JSON.stringify(requestOf(list));
  const proof = JSON.parse(root.proveAddress(ACCOUNT, 0, 0, request)) as AddressProof;
  const { public_key_hex, signature_hex } = proof;
  return { ...list, public_key_hex, signature_hex };
}

/** Throws an `SvcError` unless the signer of the list has signed all of it. */
export function verifyAddressList(list: SignedAddressList): void {
  const { public_key_hex, signature_hex } = list;
  const request = requestOf(list);
  const proof = { version: PROOF_VERSION, nonce: request.nonce, public_key_hex, signature_hex };
  verifyAddressProof(JSON.stringify(proof), JSON.stringify(request), 0);
}

function requestOf({ addresses, first, network, signer }: AddressList): AddressProofRequest {
  const entries = addresses.map(({ address, label }) => [address, label]);
  const text = JSON.stringify([network, signer, first, entries]);
  return {
    version: PROOF_VERSION,
    network,
    chain_id: NO_CHAIN,
    address: signer,
    domain: LIST_DOMAIN,
    nonce: createHash('sha256').update(text).digest('hex'),
    expires_at_millis: String(Number.MAX_SAFE_INTEGER),
  };
}
