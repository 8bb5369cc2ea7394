/**
 * Amounts as text: coins with at most 8 decimals for people, whole atoms for programs.
 * No amount is ever a JavaScript number; nothing is rounded.
 */
import { parseDecimal } from '../base/fields.ts';
import { kindOf } from '../base/kind-of.ts';
import { SvcError } from '../base/svc-error.ts';

export const ATOMS_PER_COIN = 100_000_000n;
export const ATOMS_MAX = 200_000_000n * ATOMS_PER_COIN;

const DECIMALS = 8;
const COINS = /^(0|[1-9][0-9]{0,8})(?:\.([0-9]{1,8}))?$/;

/** Coins such as `1.25` as atoms: `125000000`. */
export function parseAmount(coins: string): string {
  return String(readCoins(coins, 'amount'));
}

/** Atoms such as `125000000` as coins with all 8 decimals: `1.25000000`. */
export function formatAmount(atoms: string): string {
  return writeCoins(parseDecimal(atoms, 'amount', { max: ATOMS_MAX }));
}

export function readCoins(coins: unknown, path: string): bigint {
  if (typeof coins !== 'string') {
    throw new SvcError('bad_type', `expected a decimal string, found ${kindOf(coins)}`, { path });
  }
  const match = COINS.exec(coins);
  if (match === null) {
    throw new SvcError('bad_amount', 'expected coins with at most 8 decimals, such as 1.25', {
      path,
    });
  }
  const [, whole = '0', fraction = ''] = match;
  const atoms = BigInt(whole) * ATOMS_PER_COIN + BigInt(fraction.padEnd(DECIMALS, '0'));
  if (atoms > ATOMS_MAX) {
    throw new SvcError('bad_amount', `expected at most ${ATOMS_MAX / ATOMS_PER_COIN} coins`, {
      path,
    });
  }
  return atoms;
}

export function writeCoins(atoms: bigint): string {
  const fraction = String(atoms % ATOMS_PER_COIN).padStart(DECIMALS, '0');
  return `${atoms / ATOMS_PER_COIN}.${fraction}`;
}
