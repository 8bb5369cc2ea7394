/** Amounts in atoms, and as coins in decimal. */
import { formatAmount } from 'svc-wasm';

export function coinsOf(atoms: bigint): string {
  return formatAmount(String(atoms));
}

export function sumOf(parts: readonly { readonly amount: bigint }[]): bigint {
  return parts.reduce((sum, { amount }) => sum + amount, 0n);
}
