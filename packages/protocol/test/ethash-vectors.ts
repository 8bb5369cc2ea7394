/**
 * Reads Ethash vectors and turns them into inputs of the proof of work.
 */
import { existsSync, readFileSync } from 'node:fs';
import { concatBytes, fromHex } from '../src/base/bytes.ts';
import { ROOT } from './pow-modules.ts';

/** The sizes of Ethash's first epoch. */
export const EPOCH_0 = { cacheBytes: 16_776_896, datasetBytes: 1_073_739_904 };

export interface PublishedVector {
  readonly header_hash: string;
  readonly nonce: string;
  readonly mix_hash: string;
  readonly final_hash: string;
}

export interface SmallCase {
  readonly seed: string;
  readonly cache_items: number;
  readonly dataset_pages: number;
  readonly cache_sha384: string;
  readonly item_index: number;
  readonly item: string;
  readonly header_hash: string;
  readonly nonce: string;
  readonly mix: string;
  readonly result: string;
}

/** Ethash hashes the header hash and the nonce, least significant byte first. */
export function ethashInput(vector: { header_hash: string; nonce: string }): Uint8Array {
  return concatBytes(fromHex(vector.header_hash), fromHex(vector.nonce).reverse());
}

/** The published vectors, or nothing when the folder beside the project is not there. */
export function publishedVectors(): readonly PublishedVector[] | undefined {
  const url = new URL('../shared/vectors/ethash.json', ROOT);
  if (!existsSync(url)) return undefined;
  return JSON.parse(readFileSync(url, 'utf8')).vectors;
}

export function smallCases(): readonly SmallCase[] {
  return JSON.parse(readFileSync(new URL('vectors/ethash-small.json', ROOT), 'utf8')).cases;
}
