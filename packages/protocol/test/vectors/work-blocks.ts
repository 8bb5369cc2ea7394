/**
 * Work blocks of section 6: headers, bodies, their roots and ids.
 */
import { toHex } from '../../src/base/bytes.ts';
import { decodeBlockBody, encodeBlockBody } from '../../src/block/block-body.ts';
import { decodeBlockHeader, encodeBlockHeader } from '../../src/block/block-header.ts';
import { encodeExtranonce, minerTag } from '../../src/block/extranonce.ts';
import { seededBytes } from '../seeded-bytes.ts';
import { manifestWith, outpoint, person, signAll } from '../transaction-fixture.ts';

interface Sample {
  readonly tag: string;
  readonly parents: number;
  readonly transactions: number;
  readonly anchorHeight: bigint;
}

const SAMPLES: readonly Sample[] = [
  { tag: '', parents: 1, transactions: 0, anchorHeight: 0n },
  { tag: 'pool.example (eu) #7', parents: 8, transactions: 2, anchorHeight: 123_456_789n },
];

function workBlock({ tag, parents, transactions, anchorHeight }: Sample): object {
  const manifest = manifestWith();
  const body = encodeBlockBody({
    payout: person(3).addressBytes,
    extranonce: encodeExtranonce(tag, seededBytes('free', 11)),
    parents: Array.from({ length: parents }, (_, index) => seededBytes(`parent ${index}`, 48)),
    transactions: Array.from(
      { length: transactions },
      (_, index) => signAll({ inputs: [outpoint(index)] }, manifest).wire,
    ),
  });
  const decoded = decodeBlockBody(body, manifest);
  const header = encodeBlockHeader(
    {
      anchorHeight,
      anchorCutId: seededBytes('anchor', 48),
      parentsRoot: decoded.parentsRoot,
      bodyRoot: decoded.bodyRoot,
      payoutCommitment: decoded.payoutCommitment,
      extranonce: decoded.extranonce,
      target: seededBytes('target', 32),
      nonce: seededBytes('nonce', 24),
    },
    manifest.chainId,
  );
  const { id, registrationWindowEnd } = decodeBlockHeader(header, manifest.chainId);
  return {
    header_hex: toHex(header),
    body_hex: toHex(body),
    block_id: toHex(id),
    anchor_height: anchorHeight.toString(),
    registration_window_end: registrationWindowEnd.toString(),
    miner_tag: minerTag(decoded.extranonce),
    payout_hex: toHex(decoded.payout),
    body_root: toHex(decoded.bodyRoot),
    parents_root: toHex(decoded.parentsRoot),
    payout_commitment: toHex(decoded.payoutCommitment),
    mass: decoded.mass.toString(),
    parents: decoded.parents.map(toHex),
    transaction_ids: decoded.transactions.map((transaction) => toHex(transaction.id)),
  };
}

export function workBlockVectors(): object {
  return {
    note: 'Work blocks of section 6 of docs/protocol.md: header and body as bytes, and everything that follows from them. The proof of work is not done.',
    manifest: JSON.parse(manifestWith().json) as object,
    blocks: SAMPLES.map(workBlock),
  };
}
