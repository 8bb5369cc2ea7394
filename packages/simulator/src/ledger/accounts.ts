/**
 * Accounts that hold and spend coins. Their keys are mere bytes: nothing here is signed for real.
 */
import type { Address } from 'svc-ledger';
import { keyAddress } from 'svc-ledger';
import { encodeAddress, toHex } from 'svc-wasm/base';
import { keyHash } from 'svc-wasm/protocol';

export interface Account {
  readonly publicKey: Uint8Array;
  readonly address: Address;
  /** The address as requests spell it. */
  readonly text: string;
}

const ACCOUNTS = 6;
const PUBLIC_KEY_BYTES = 1_952;

export function createAccounts(): Account[] {
  return Array.from({ length: ACCOUNTS }, (_, index) => accountOf(index));
}

/** The account out of which the operators of validators pay; nobody else does. */
export function createOperator(): Account {
  return accountOf(ACCOUNTS);
}

function accountOf(index: number): Account {
  const publicKey = new Uint8Array(PUBLIC_KEY_BYTES).fill(200 + index);
  const hash = keyHash(publicKey);
  const text = encodeAddress(Uint8Array.of(0, ...hash), 'development');
  return { publicKey, address: keyAddress(toHex(hash)), text };
}
