/**
 * What the checks work with: a well-known phrase, a chain, and the wallet's first addresses.
 */
import type { WalletRoot } from '../../src/index.ts';
import type { Kernel, Svc } from './check.ts';
import { bytesOf, hex, integer } from './check.ts';

export const PHRASE = `${'abandon '.repeat(23)}art`;
export const NETWORK = 'development';
export const CHAIN_ID = '5a'.repeat(48);

export interface Fixture {
  readonly root: WalletRoot;
  /** Public keys of account 0, branch 0. */
  readonly publicKeys: readonly Uint8Array[];
  readonly addresses: readonly string[];
}

/** Hands a wallet root to the check and frees it afterwards. */
export function withWallet<T>(svc: Svc, use: (fixture: Fixture) => T): T {
  const root = svc.WalletRoot.fromMnemonic(PHRASE);
  try {
    const publicKeys = Array.from({ length: 5 }, (_, i) => root.derivePublicKey(0, 0, i));
    const addresses = publicKeys.map((key) => svc.addressFromPublicKey(key, NETWORK));
    return use({ root, publicKeys, addresses });
  } finally {
    root.free();
  }
}

const RULES = {
  max_transaction_bytes: 60000,
  max_inputs: 8,
  max_outputs: 16,
  max_payload_bytes: 8192,
  max_validity_cuts: 120,
  mass_per_signature: 3000,
  mass_per_output: 500,
  min_fee_per_mass: 10,
};

/** The manifest of the fixture's chain, its rules id hashed here by the published layout. */
export function manifestOf(kernel: Kernel, chainId: string = CHAIN_ID): string {
  const widths = [4, 4, 4, 4, 8, 8, 8, 8];
  const values = Object.values(RULES).map((value, i) => integer(value, widths[i] as number));
  const rulesId = kernel.sha384(
    bytesOf('SVC_RULES_V1', Uint8Array.of(4), integer(1, 4), ...values),
  );
  return JSON.stringify({
    api_version: 1,
    network: NETWORK,
    chain_id: chainId,
    protocol_version: '1',
    rules_id: hex(rulesId),
    ...Object.fromEntries(Object.entries(RULES).map(([name, value]) => [name, String(value)])),
  });
}

/** A payment of 5 coins out of one output, with everything beyond to the second address. */
export function paymentRequest(to: string, change: string, changeAmount: string): string {
  return JSON.stringify({
    valid_from_height: '1000',
    valid_until_height: '1100',
    inputs: [{ transaction_id: 'ab'.repeat(48), output_index: '1' }],
    outputs: [
      { address: to, amount: '500000000' },
      { address: change, amount: changeAmount },
    ],
    payload_hex: '',
  });
}
