/**
 * Numbers as people read them. Amounts are whole atoms in decimal and never pass through floating point.
 */
const ATOMS_PER_COIN = 100_000_000n;
const DECIMALS = 8;

export function whole(value: number | bigint): string {
  return value.toLocaleString('en');
}

/** Atoms as coins: with separated thousands, no trailing zeros beyond two decimals. */
export function coins(atoms: string | bigint): string {
  const value = BigInt(atoms);
  const sign = value < 0n ? '−' : '';
  const size = value < 0n ? -value : value;
  const fraction = (size % ATOMS_PER_COIN)
    .toString()
    .padStart(DECIMALS, '0')
    .replace(/0{1,6}$/, '');
  return `${sign}${whole(size / ATOMS_PER_COIN)}.${fraction}`;
}

/** Coins without decimals, for totals. */
export function roundCoins(atoms: string | bigint): string {
  return whole(BigInt(atoms) / ATOMS_PER_COIN);
}

/** The atoms of a text with at most eight decimals; undefined if it is no amount. */
export function parseCoins(text: string): bigint | undefined {
  const [, before, after = ''] = /^([0-9]{1,10})(?:\.([0-9]{1,8}))?$/.exec(text.trim()) ?? [];
  if (before === undefined) return undefined;
  return BigInt(before) * ATOMS_PER_COIN + BigInt(after.padEnd(DECIMALS, '0'));
}

const RATE_UNITS = ['H/s', 'kH/s', 'MH/s', 'GH/s', 'TH/s', 'PH/s'] as const;

export function hashrate(perSecond: string | number): string {
  let value = Number(perSecond);
  let unit = 0;
  while (value >= 1_000 && unit < RATE_UNITS.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${RATE_UNITS[unit]}`;
}

export function bytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1_000).toFixed(1)} KB`;
  return `${(count / 1_000_000).toFixed(1)} MB`;
}

export function millis(count: number): string {
  return count < 1_000 ? `${Math.round(count)} ms` : `${(count / 1_000).toFixed(2)} s`;
}

/** Tens of thousandths as per cent. */
export function basisPoints(value: number): string {
  return `${(value / 100).toFixed(2).replace(/\.?0+$/, '')} %`;
}

/** A fee for each unit of mass, from atoms and mass. */
export function feeRate(fee: string, mass: string): string {
  const weight = Number(mass);
  return weight === 0 ? '0' : (Number(fee) / weight).toFixed(2);
}

export function share(part: string | bigint, all: string | bigint): number {
  const total = BigInt(all);
  return total === 0n ? 0 : Number((BigInt(part) * 1_000_000n) / total) / 1_000_000;
}

export function percent(part: number, digits = 1): string {
  return `${(part * 100).toFixed(digits)} %`;
}
