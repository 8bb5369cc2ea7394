/**
 * Takes blocks apart and puts them together again. A transaction's id leaves its witnesses out, so a block put
 * together from the own mempool may differ from the miner's: its root shows that.
 */
import { equalBytes, isRefusal, LABELS, toHex } from 'svc-wasm/base';
import {
  decodeBlockBody,
  decodeBlockHeader,
  encodeBlockBody,
  hashLabel,
  type Manifest,
} from 'svc-wasm/protocol';
import type { BlockBytes } from '../application.ts';
import type { CompactBlock } from './relay-bytes.ts';

export interface TakenApart {
  readonly compact: CompactBlock;
  readonly wires: readonly Uint8Array[];
}

export function takeApart({ header, body }: BlockBytes, manifest: Manifest): TakenApart {
  const { payout, parents, transactions } = decodeBlockBody(body, manifest);
  return {
    compact: { header, payout, parents, transactionIds: transactions.map(({ id }) => toHex(id)) },
    wires: transactions.map(({ wire }) => wire),
  };
}

export function blockIdOf(header: Uint8Array): string {
  return toHex(hashLabel(LABELS.block, header));
}

/** The body, if these wires are the ones that the header commits to; not if they are in no body at all. */
export function putTogether(
  { header, payout, parents }: CompactBlock,
  transactions: readonly Uint8Array[],
  manifest: Manifest,
): Uint8Array | undefined {
  try {
    const { extranonce } = decodeBlockHeader(header, manifest.chainId);
    const body = encodeBlockBody({ payout, extranonce, parents, transactions });
    return commitsTo(header, body, manifest) ? body : undefined;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

export function commitsTo(header: Uint8Array, body: Uint8Array, manifest: Manifest): boolean {
  const { bodyRoot } = decodeBlockHeader(header, manifest.chainId);
  return equalBytes(bodyRoot, hashLabel(LABELS.body, body));
}
