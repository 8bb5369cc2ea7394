/**
 * Identifiers and addresses are lower-case hexadecimal strings of their bytes, so
 * that they serve as map keys and compare in byte order; two strings of one kind have equal length.
 */

import { writeHex } from './protocol.ts';

/** 96 characters: a transaction, block, cut, position, validator or key hash. */
export type Identifier = string;

/** 98 characters: the 49 bytes of an address, type first. */
export type Address = string;

/** A transaction id and an output index, see `outpointKey`. */
export type OutpointKey = string;

export interface Outpoint {
  readonly transactionId: Identifier;
  readonly outputIndex: number;
  /** The cached result of `outpointKey`. */
  readonly key?: OutpointKey;
}

/** The bytes of an identifier or address that is known to be one. */
export function bytesOf(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2);
  writeHex(hex, bytes, 0);
  return bytes;
}

const INDEX_DIGITS = 8;
/** Texts of the indexes that nearly all outputs have; making them takes time where thousands are named. */
const INDEX_TEXTS: readonly string[] = Array.from({ length: 16 }, (_, index) => indexText(index));

/** The key of an outpoint; keys order as (transaction id, index). */
export function outpointKey({ key, transactionId, outputIndex }: Outpoint): OutpointKey {
  return key ?? transactionId + (INDEX_TEXTS[outputIndex] ?? indexText(outputIndex));
}

function indexText(index: number): string {
  return index.toString(16).padStart(INDEX_DIGITS, '0');
}

export function outpointOf(key: OutpointKey): Outpoint {
  const at = key.length - INDEX_DIGITS;
  return { transactionId: key.slice(0, at), outputIndex: Number.parseInt(key.slice(at), 16) };
}

/** Orders strings by code unit, which for hexadecimal is byte order. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const TYPE_KEY = '00';
export const BURN_ADDRESS: Address = `02${'00'.repeat(48)}`;

/** The address of a single key. */
export function keyAddress(keyHash: Identifier): Address {
  return TYPE_KEY + keyHash;
}

/** The key of a registered block: blocks of one anchor are adjacent, by id. */
export function blockKey(anchorHeight: number, blockId: Identifier): string {
  return numberKey(anchorHeight) + blockId;
}

/** A key for records counted by height or epoch; keys order as the numbers do. */
export function numberKey(value: number): string {
  return value.toString(16).padStart(14, '0');
}
