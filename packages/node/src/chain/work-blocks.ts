/**
 * Work blocks from their bytes: everything about them that needs no state. Proof of work is not looked at.
 */
import type { ExecutableTransaction, RegisteredBlock, WireTransactions } from 'svc-ledger';
import type { PooledBlock } from 'svc-serve/ports';
import type { BlockBytes } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { decodeWorkBlock, type Manifest } from 'svc-wasm/protocol';

export type WorkBlock = Pick<PooledBlock, 'bytes' | 'block' | 'transactions'>;

/** A transaction with exactly these bytes that was decoded before. */
export type FindDecoded = (id: string, wire: Uint8Array) => ExecutableTransaction | undefined;

/** The bytes of a block, with the root of this very body if it was hashed before. */
export interface BlockToRead extends Pick<BlockBytes, 'header' | 'body'> {
  readonly bodyRoot?: Uint8Array;
}

export type GivenBlock = BlockBytes & BlockToRead;

/** Throws an `SvcError` for bytes that are no block of this chain. */
export function readWorkBlock(
  bytes: BlockToRead,
  manifest: Manifest,
  wires: WireTransactions,
  findDecoded?: FindDecoded,
): WorkBlock {
  const { header, body } = decodeWorkBlock(bytes.header, bytes.body, manifest, bytes.bodyRoot);
  const id = toHex(header.id);
  const block: RegisteredBlock = {
    id,
    anchorHeight: Number(header.anchorHeight),
    anchorCutId: toHex(header.anchorCutId),
    parents: body.parents.map((parent) => toHex(parent)),
    bodyRoot: toHex(header.bodyRoot),
    payoutAddress: toHex(body.payout),
    bodyBytes: bytes.body.length,
    mass: body.mass,
  };
  const transactions = body.transactions.map(
    (transaction) =>
      findDecoded?.(toHex(transaction.id), transaction.wire) ??
      wires.ofBlock(transaction, manifest),
  );
  return { bytes: { id, header: bytes.header, body: bytes.body }, block, transactions };
}
