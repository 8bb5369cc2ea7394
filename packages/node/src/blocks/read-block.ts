/**
 * A block from its bytes, for the pool. Where the mempool holds a transaction with the very same wire, that
 * one is taken: it is not decoded again, and signatures found good there need no second check.
 */
import type { Chain, Mempool, PooledBlock } from 'svc-serve/ports';
import type { BlockBytes } from 'svc-storage';
import { equalBytes, SvcError } from 'svc-wasm/base';
import { minerTag } from 'svc-wasm/protocol';
import { type FindDecoded, readWorkBlock } from '../chain/work-blocks.ts';
import type { StoredBlock } from './block-store.ts';

const EXTRANONCE_AT = 208;
const EXTRANONCE_BYTES = 32;

export interface BlockReaderPorts {
  readonly chain: Pick<Chain, 'manifest' | 'transactions'>;
  readonly mempool: Pick<Mempool, 'get'>;
}

/** Throws an `SvcError` for bytes that are no block of this chain. */
export function readPooledBlock(
  { chain, mempool }: BlockReaderPorts,
  bytes: Pick<BlockBytes, 'header' | 'body'>,
  receivedAtMillis: number,
): PooledBlock {
  const { manifest, transactions: wires } = chain;
  const findDecoded: FindDecoded = (id, wire) => {
    const pooled = mempool.get(id);
    return pooled !== undefined && equalBytes(pooled.wire, wire) ? pooled.transaction : undefined;
  };
  const read = readWorkBlock(bytes, manifest, wires, findDecoded);
  const extranonce = bytes.header.slice(EXTRANONCE_AT, EXTRANONCE_AT + EXTRANONCE_BYTES);
  return { ...read, minerTag: minerTag(extranonce), receivedAtMillis };
}

/** A block as it was stored; undefined for a record that is not the block of its id. */
export function readStoredBlock(
  ports: BlockReaderPorts,
  id: string,
  stored: StoredBlock | null,
): PooledBlock | undefined {
  if (stored === null) return undefined;
  try {
    const pooled = readPooledBlock(ports, stored, stored.receivedAtMillis);
    return pooled.block.id === id ? pooled : undefined;
  } catch (error) {
    if (error instanceof SvcError) return undefined;
    throw error;
  }
}
