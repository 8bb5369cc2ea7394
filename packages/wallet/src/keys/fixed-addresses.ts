/**
 * Addresses that are not derived from the words of a wallet: the address of a shared wallet.
 */
import { createHash } from 'node:crypto';
import { type DescriptorDocument, multisigAddress, type Network } from 'svc-wasm';

/** Who has to sign for an address. */
export interface SharedPolicy {
  readonly address: string;
  /** Canonical JSON. */
  readonly descriptor: string;
  readonly threshold: number;
  /** Public keys in hexadecimal, in the order of the descriptor. */
  readonly members: readonly string[];
}

export interface FixedAddresses {
  readonly addresses: readonly string[];
  readonly policy: SharedPolicy;
}

/** Members sign for shared wallets with a key of an account of its own, which never holds coins by itself. */
export const MEMBER_KEY = { account: 1, branch: 0, position: 0 } as const;

/** `descriptor` has been checked. */
export function policyOf(descriptor: string, network: Network): SharedPolicy {
  const { members, threshold } = JSON.parse(descriptor) as DescriptorDocument;
  const address = multisigAddress(descriptor, network);
  return { address, descriptor, threshold: Number(threshold), members };
}

/** What a state of these addresses is known by, in the form of a wallet's fingerprint. */
export function fingerprintOfFixed({ addresses }: FixedAddresses): string {
  return createHash('sha256').update(addresses.join(' ')).digest('hex').slice(0, 16);
}
