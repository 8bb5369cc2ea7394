/**
 * Headers and bodies of work blocks.
 */
import { decodeBlockBody, encodeBlockBody } from '../../src/block/block-body.ts';
import { decodeBlockHeader, encodeBlockHeader } from '../../src/block/block-header.ts';
import { encodeExtranonce } from '../../src/block/extranonce.ts';
import type { Codec } from './codec.ts';
import type { Random } from './random.ts';
import { anyAddress, anyWire, MANIFEST } from './transaction-codecs.ts';

const TAG_CHARACTERS = 'abcXYZ019 ._-/:+@#()!';

function anyExtranonce(random: Random): Uint8Array {
  const tag = random.list(0, 20, () => random.pick([...TAG_CHARACTERS])).join('');
  return encodeExtranonce(tag, random.bytes(11));
}

function anyHeader(random: Random): Uint8Array {
  const header = {
    anchorHeight: random.u64() >> 1n,
    anchorCutId: random.bytes(48),
    parentsRoot: random.bytes(48),
    bodyRoot: random.bytes(48),
    payoutCommitment: random.bytes(48),
    extranonce: anyExtranonce(random),
    target: random.bytes(32),
    nonce: random.bytes(24),
  };
  return encodeBlockHeader(header, MANIFEST.chainId);
}

/** Up to three transactions that fit a body together. */
function anyTransactions(random: Random): Uint8Array[] {
  const wires = random.list(0, 3, () => anyWire(random, 1));
  while (wires.reduce((sum, wire) => sum + wire.length, 0) > 60_000) wires.pop();
  return wires;
}

function anyBlockBody(random: Random): Uint8Array {
  return encodeBlockBody({
    payout: anyAddress(random),
    extranonce: anyExtranonce(random),
    parents: random.list(1, 8, () => random.bytes(48)),
    transactions: anyTransactions(random),
  });
}

export const BLOCK_CODECS: readonly Codec[] = [
  {
    name: 'block_header',
    generate: anyHeader,
    again: (bytes) =>
      encodeBlockHeader(decodeBlockHeader(bytes, MANIFEST.chainId), MANIFEST.chainId),
  },
  {
    name: 'block_body',
    generate: anyBlockBody,
    again: (bytes) => {
      const { transactions, ...body } = decodeBlockBody(bytes, MANIFEST);
      return encodeBlockBody({ ...body, transactions: transactions.map(({ wire }) => wire) });
    },
  },
];
