/**
 * Reads fields of rows as the types that the tables promise.
 */
import type { Row } from './database.ts';

export function numberOf(row: Row, name: string): number {
  return Number(row[name]);
}

export function amountOf(row: Row, name: string): bigint {
  return row[name] as bigint;
}

export function textOf(row: Row, name: string): string {
  return row[name] as string;
}

export function optionalText(row: Row, name: string): string | null {
  return row[name] as string | null;
}

export function optionalNumber(row: Row, name: string): number | null {
  const value = row[name];
  return value === null || value === undefined ? null : Number(value);
}

export function flagOf(row: Row, name: string): boolean {
  return row[name] === 1n;
}
