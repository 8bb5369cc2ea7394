/**
 * Addresses that are not derived from the words of a wallet: the address of a shared wallet, and those that a wallet
 * without keys watches.
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
  /** Labels of the addresses, in their order; they count when an address is met for the first time. */
  readonly labels?: readonly (string | null)[];
  /** Null for addresses that are only watched. */
  readonly policy: SharedPolicy | null;
}

/** Members sign for shared wallets with a key of an account of its own, which never holds coins by itself. */
export const MEMBER_KEY = { account: 1, branch: 0, position: 0 } as const;

/** `descriptor` has been checked. */
export function policyOf(descriptor: string, network: Network): SharedPolicy {
  const { members, threshold } = JSON.parse(descriptor) as DescriptorDocument;
  const address = multisigAddress(descriptor, network);
  return { address, descriptor, threshold: Number(threshold), members };
}

/** What the state of a shared wallet is known by, in the form of a wallet's fingerprint. */
export function fingerprintOfShared({ address }: SharedPolicy): string {
  return createHash('sha256').update(address).digest('hex').slice(0, 16);
}
