/**
 * Makes work blocks in the bytes of the protocol, without proof of work, for tests.
 */
import {
  bytesOf,
  type EconomyRecord,
  type ExecutableTransaction,
  numberKey,
  oldestParentCut,
  SINGLE_KEY,
  type StateView,
  targetBytes,
} from 'svc-ledger';
import type { PooledBlock } from 'svc-serve/ports';
import type { Head } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import {
  decodeBlockBody,
  decodeWorkBlock,
  encodeBlockBody,
  encodeBlockHeader,
  encodeExtranonce,
  type Manifest,
} from 'svc-wasm/protocol';

export interface BlockDraft {
  readonly view: StateView;
  readonly head: Head;
  readonly manifest: Manifest;
  readonly payout: string;
  readonly tag: string;
  /** Tells blocks of one anchor and payout apart. */
  readonly serial: number;
  readonly wires: readonly Uint8Array[];
  readonly transactions: readonly ExecutableTransaction[];
  readonly receivedAtMillis: number;
}

const PARENTS_MAX = 8;

export function makeBlock(draft: BlockDraft): PooledBlock {
  const { view, head, manifest } = draft;
  const free = new Uint8Array(11);
  new DataView(free.buffer).setUint32(0, draft.serial);
  const bodyBytes = encodeBlockBody({
    payout: bytesOf(draft.payout),
    extranonce: encodeExtranonce(draft.tag, free),
    parents: parentsOn(view, head).map(bytesOf),
    transactions: [...draft.wires],
  });
  const { parentsRoot, bodyRoot, payoutCommitment, extranonce } = decodeBlockBody(
    bodyBytes,
    manifest,
  );
  const economy = view.get('economy', SINGLE_KEY) as EconomyRecord;
  const headerBytes = encodeBlockHeader(
    {
      anchorHeight: BigInt(head.height),
      anchorCutId: bytesOf(head.cutId),
      parentsRoot,
      bodyRoot,
      payoutCommitment,
      extranonce,
      target: targetBytes(economy.workTarget),
      nonce: new Uint8Array(24),
    },
    manifest.chainId,
  );
  const { header, body } = decodeWorkBlock(headerBytes, bodyBytes, manifest);
  const id = toHex(header.id);
  return {
    bytes: { id, header: headerBytes, body: bodyBytes },
    block: {
      id,
      anchorHeight: Number(header.anchorHeight),
      anchorCutId: toHex(header.anchorCutId),
      parents: body.parents.map((parent) => toHex(parent)),
      bodyRoot: toHex(header.bodyRoot),
      payoutAddress: toHex(body.payout),
      bodyBytes: bodyBytes.length,
      mass: body.mass,
    },
    transactions: draft.transactions,
    minerTag: draft.tag,
    receivedAtMillis: draft.receivedAtMillis,
  };
}

/** The blocks of the newest cut that registered any, else the anchor. */
function parentsOn(view: StateView, { height, cutId }: Head): string[] {
  for (let cut = height; cut >= oldestParentCut(height); cut--) {
    const blocks = view.get('registered', numberKey(cut))?.blocks ?? [];
    if (blocks.length > 0) return blocks.slice(0, PARENTS_MAX).map(({ id }) => id);
  }
  return [cutId];
}
