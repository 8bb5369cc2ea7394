/**
 * Work blocks from their bytes: everything about them that needs no state. Proof of work is not looked at.
 */
import type { RegisteredBlock, WireTransactions } from 'svc-ledger';
import type { BlockBytes } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { decodeWorkBlock, type Manifest } from 'svc-wasm/internal';
import type { PooledBlock } from '../ports/blocks.ts';

export type WorkBlock = Pick<PooledBlock, 'bytes' | 'block' | 'transactions'>;

/** Throws an `SvcError` for bytes that are no block of this chain. */
export function readWorkBlock(
  bytes: Pick<BlockBytes, 'header' | 'body'>,
  manifest: Manifest,
  wires: WireTransactions,
): WorkBlock {
  const { header, body } = decodeWorkBlock(bytes.header, bytes.body, manifest);
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
  const transactions = body.transactions.map(({ wire }) => wires.decode(wire));
  return { bytes: { id, header: bytes.header, body: bytes.body }, block, transactions };
}
