/**
 * Values of calls that a schema cannot judge: amounts, addresses, cursors.
 */
import { type AddressDocument, formatAmount, parseAddress, parseAmount } from 'svc-wasm';
import { asParameter, WalletError } from '../base/wallet-error.ts';
import type { OwnAddress } from '../state/addresses.ts';
import type { Wallet } from '../wallet.ts';

/** Coins above zero as decimal atoms. */
export function atomsOf(coins: string, path: string): string {
  const atoms = asParameter('invalid_amount', path, () => parseAmount(coins));
  if (atoms !== '0') return atoms;
  throw new WalletError('invalid_amount', 'expected more than zero', { path });
}

export function coinsOf(atoms: bigint): string {
  return formatAmount(String(atoms));
}

/** The address in its one form, of the wallet's network. */
export function addressOf(wallet: Wallet, address: string, path: string): string {
  asParameter('invalid_address', path, () => parseAddress(address, wallet.network));
  return address.toLowerCase();
}

/** An address that may be paid: no burn, which has a method of its own, and no change address. */
export function payeeOf(wallet: Wallet, text: string, path: string): string {
  const address = addressOf(wallet, text, path);
  const { type } = JSON.parse(parseAddress(address)) as AddressDocument;
  if (type === 'burn') {
    const message = 'the burn address destroys what is paid to it';
    throw new WalletError('burn_address', message, { path, hint: 'use the method burn' });
  }
  if (wallet.state.addresses.find(address)?.branch === 1) {
    const message = "the address is the wallet's own, for change";
    throw new WalletError('change_address', message, {
      path,
      hint: 'use an address of new_address',
    });
  }
  return address;
}

export function ownAddressOf(wallet: Wallet, text: string, path: string): OwnAddress {
  const own = wallet.state.addresses.find(addressOf(wallet, text, path));
  if (own !== undefined) return own;
  throw new WalletError('unknown_address', 'the address does not belong to this wallet', { path });
}

/** Optional fields of a call, without those that were left out. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
