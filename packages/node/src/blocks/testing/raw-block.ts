/**
 * Blocks on the head of a chain whose every part can be set, also to what no block may have. Roots follow from
 * the parts unless they are set too. There is no proof of work in them.
 */
import { bytesOf, targetBytes } from 'svc-ledger';
import { LABELS } from 'svc-wasm/base';
import {
  type BlockBody,
  type BlockHeader,
  encodeBlockBody,
  encodeBlockHeader,
  encodeExtranonce,
  hashLabel,
} from 'svc-wasm/protocol';
import { parentsOn } from '../../mining/templates.ts';
import type { ChainFixture } from '../../testing/chain-fixture.ts';
import type { BlockPair } from './pool-kit.ts';

export interface RawChanges {
  readonly body?: Partial<BlockBody>;
  readonly header?: Partial<BlockHeader>;
  readonly chainId?: Uint8Array;
  /** Changes the encoded body before its root is taken. */
  readonly editBody?: (body: Uint8Array) => Uint8Array;
}

let serial = 0;

export function rawBlock(chain: ChainFixture, changes: RawChanges = {}): BlockPair {
  const { head, view, manifest } = chain;
  const free = new Uint8Array(11);
  new DataView(free.buffer).setUint32(0, ++serial);
  const parts: BlockBody = {
    payout: bytesOf(chain.address(3)),
    extranonce: encodeExtranonce('raw', free),
    parents: parentsOn(view, head).map(bytesOf),
    transactions: [],
    ...changes.body,
  };
  const encoded = encodeBlockBody(parts);
  const body = changes.editBody?.(encoded) ?? encoded;
  const header = encodeBlockHeader(
    {
      anchorHeight: BigInt(head.height),
      anchorCutId: bytesOf(head.cutId),
      parentsRoot: hashLabel(LABELS.parents, Uint8Array.of(parts.parents.length), ...parts.parents),
      bodyRoot: hashLabel(LABELS.body, body),
      payoutCommitment: hashLabel(LABELS.payee, parts.payout),
      extranonce: parts.extranonce,
      target: targetBytes(chain.economy.workTarget),
      nonce: new Uint8Array(24),
      ...changes.header,
    },
    changes.chainId ?? manifest.chainId,
  );
  return { header, body };
}
