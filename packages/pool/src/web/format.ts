/**
 * Amounts, parts and rates as the pages write them.
 */
import { formatAmount } from 'svc-wasm';

const UNITS = ['H/s', 'kH/s', 'MH/s', 'GH/s', 'TH/s', 'PH/s'] as const;

export function coins(atoms: bigint): string {
  return formatAmount(String(atoms));
}

export function percent(basisPoints: bigint): string {
  return `${Number(basisPoints) / 100} %`;
}

export function rate(hashes: number): string {
  let value = hashes;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${value.toFixed(unit === 0 ? 0 : 2)} ${UNITS[unit]}`;
}
