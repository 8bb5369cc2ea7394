/**
 * Messages of `/svc/relay/1`. Ids are always whole: a block holds at most some twenty payments of 3 kB, so
 * shortened ids would save one part in a hundred and cost an index and a rule for collisions.
 */
import { fromHex, Reader, SvcError, toHex, Writer } from 'svc-wasm/base';
import { BLOCK_BODY_BYTES_MAX, BLOCK_HEADER_BYTES } from 'svc-wasm/protocol';
import type { BlockBytes, ChainTip } from '../application.ts';
import { readHeight } from '../handshake/hello-bytes.ts';

export const RELAY = {
  announce: 1,
  cut: 2,
  getTransactions: 3,
  transaction: 4,
  getBlocks: 5,
  compactBlock: 6,
  getBlockTransactions: 7,
  blockTransactions: 8,
  getFullBlock: 9,
  fullBlock: 10,
  absentTransactions: 11,
  absentBlocks: 12,
  /** Asks for all pending announcements again, after a time of not listening. */
  getPending: 13,
} as const;

export const ID_BYTES = 48;
const TRANSACTION_BYTES_MAX = 60_000;
export const ANNOUNCED_TRANSACTIONS_MAX = 512;
export const ANNOUNCED_BLOCKS_MAX = 64;
export const TRANSACTIONS_PER_REQUEST_MAX = 32;
export const BLOCKS_PER_REQUEST_MAX = 16;
export const TRANSACTIONS_PER_BLOCK_MAX = 1_024;
const PARENTS_MAX = 8;
const PAYOUT_BYTES = 49;
const COUNT_BYTES = 2;

export const RELAY_LIMITS: Readonly<Record<number, number>> = {
  [RELAY.announce]:
    2 * COUNT_BYTES + (ANNOUNCED_TRANSACTIONS_MAX + ANNOUNCED_BLOCKS_MAX) * ID_BYTES,
  [RELAY.cut]: 8 + ID_BYTES,
  [RELAY.getTransactions]: COUNT_BYTES + TRANSACTIONS_PER_REQUEST_MAX * ID_BYTES,
  [RELAY.transaction]: ID_BYTES + TRANSACTION_BYTES_MAX,
  [RELAY.getBlocks]: COUNT_BYTES + BLOCKS_PER_REQUEST_MAX * ID_BYTES,
  [RELAY.compactBlock]:
    BLOCK_HEADER_BYTES +
    PAYOUT_BYTES +
    2 * COUNT_BYTES +
    (PARENTS_MAX + TRANSACTIONS_PER_BLOCK_MAX) * ID_BYTES,
  [RELAY.getBlockTransactions]: ID_BYTES + COUNT_BYTES + 2 * TRANSACTIONS_PER_BLOCK_MAX,
  [RELAY.blockTransactions]: ID_BYTES + COUNT_BYTES + BLOCK_BODY_BYTES_MAX,
  [RELAY.getFullBlock]: ID_BYTES,
  [RELAY.fullBlock]: BLOCK_HEADER_BYTES + BLOCK_BODY_BYTES_MAX,
  [RELAY.absentTransactions]: COUNT_BYTES + TRANSACTIONS_PER_REQUEST_MAX * ID_BYTES,
  [RELAY.absentBlocks]: COUNT_BYTES + BLOCKS_PER_REQUEST_MAX * ID_BYTES,
  [RELAY.getPending]: 0,
};

export interface Announcement {
  readonly transactions: readonly string[];
  readonly blocks: readonly string[];
}

/** A block without its transactions: what a peer that has them needs to put it together. */
export interface CompactBlock {
  readonly header: Uint8Array;
  readonly payout: Uint8Array;
  readonly parents: readonly Uint8Array[];
  readonly transactionIds: readonly string[];
}

export function encodeAnnouncement({ transactions, blocks }: Announcement): Uint8Array {
  const writer = new Writer(2 * COUNT_BYTES + (transactions.length + blocks.length) * ID_BYTES);
  return writeIds(writeIds(writer, transactions), blocks).finish();
}

export function decodeAnnouncement(bytes: Uint8Array): Announcement {
  const reader = new Reader(bytes, 'announcement');
  const transactions = readIds(reader, ANNOUNCED_TRANSACTIONS_MAX, 'transactions');
  const blocks = readIds(reader, ANNOUNCED_BLOCKS_MAX, 'blocks');
  reader.end();
  return { transactions, blocks };
}

export function encodeTip({ height, cutId }: ChainTip): Uint8Array {
  return new Writer(8 + ID_BYTES)
    .u64(BigInt(height))
    .raw(fromHex(cutId, 'cutId', ID_BYTES))
    .finish();
}

export function decodeTip(bytes: Uint8Array): ChainTip {
  const reader = new Reader(bytes, 'cut');
  const height = readHeight(reader, 'cut.height');
  const cutId = toHex(reader.raw(ID_BYTES));
  reader.end();
  return { height, cutId };
}

export function encodeIds(ids: readonly string[]): Uint8Array {
  return writeIds(new Writer(COUNT_BYTES + ids.length * ID_BYTES), ids).finish();
}

/** At least one id, at most `countMax`. */
export function decodeIds(bytes: Uint8Array, countMax: number): string[] {
  const reader = new Reader(bytes, 'ids');
  const ids = readIds(reader, countMax, 'ids');
  reader.end();
  if (ids.length === 0) throw new SvcError('out_of_range', 'expected an id', { path: 'ids' });
  if (new Set(ids).size < ids.length)
    throw new SvcError('out_of_range', 'expected each id once', { path: 'ids' });
  return ids;
}

export function encodeTransaction(id: string, wire: Uint8Array): Uint8Array {
  return new Writer(ID_BYTES + wire.length)
    .raw(fromHex(id, 'id', ID_BYTES))
    .raw(wire)
    .finish();
}

export function decodeTransactionMessage(bytes: Uint8Array): { id: string; wire: Uint8Array } {
  const reader = new Reader(bytes, 'transaction');
  const id = toHex(reader.raw(ID_BYTES));
  return { id, wire: bytes.slice(ID_BYTES) };
}

export function encodeCompactBlock(block: CompactBlock): Uint8Array {
  const { header, payout, parents, transactionIds } = block;
  const writer = new Writer(1_024).raw(header).raw(payout).varint(parents.length);
  for (const parent of parents) writer.raw(parent);
  return writeIds(writer, transactionIds).finish();
}

export function decodeCompactBlock(bytes: Uint8Array): CompactBlock {
  const reader = new Reader(bytes, 'compactBlock');
  const header = reader.raw(BLOCK_HEADER_BYTES);
  const payout = reader.raw(PAYOUT_BYTES);
  const parentCount = expectCount(reader.varint(), PARENTS_MAX, 'parents');
  const parents = Array.from({ length: parentCount }, () => reader.raw(ID_BYTES));
  const transactionIds = readIds(reader, TRANSACTIONS_PER_BLOCK_MAX, 'transactions');
  reader.end();
  return { header, payout, parents, transactionIds };
}

/** `indexes` are strictly ascending, at least one. */
export function encodeBlockRequest(blockId: string, indexes: readonly number[]): Uint8Array {
  const writer = new Writer(ID_BYTES + COUNT_BYTES + 2 * indexes.length)
    .raw(fromHex(blockId, 'blockId', ID_BYTES))
    .varint(indexes.length);
  for (const index of indexes) writer.varint(index);
  return writer.finish();
}

export function decodeBlockRequest(bytes: Uint8Array): { blockId: string; indexes: number[] } {
  const reader = new Reader(bytes, 'blockRequest');
  const blockId = toHex(reader.raw(ID_BYTES));
  const count = expectCount(reader.varint(), TRANSACTIONS_PER_BLOCK_MAX, 'indexes');
  const indexes = Array.from({ length: count }, () => reader.varint());
  reader.end();
  const ascends = indexes.every((index, at) => at === 0 || index > (indexes[at - 1] as number));
  const isWithin = (indexes.at(-1) ?? TRANSACTIONS_PER_BLOCK_MAX) < TRANSACTIONS_PER_BLOCK_MAX;
  if (ascends && isWithin) return { blockId, indexes };
  const message = `expected ascending indexes below ${TRANSACTIONS_PER_BLOCK_MAX}`;
  throw new SvcError('not_canonical', message, { path: 'indexes' });
}

export function encodeBlockTransactions(blockId: string, wires: readonly Uint8Array[]): Uint8Array {
  const writer = new Writer(4_096).raw(fromHex(blockId, 'blockId', ID_BYTES)).varint(wires.length);
  for (const wire of wires) writer.counted(wire);
  return writer.finish();
}

export function decodeBlockTransactions(bytes: Uint8Array): {
  blockId: string;
  wires: Uint8Array[];
} {
  const reader = new Reader(bytes, 'blockTransactions');
  const blockId = toHex(reader.raw(ID_BYTES));
  const count = expectCount(reader.varint(), TRANSACTIONS_PER_BLOCK_MAX, 'transactions');
  const wires = Array.from({ length: count }, () => reader.counted(TRANSACTION_BYTES_MAX));
  reader.end();
  return { blockId, wires };
}

export function encodeFullBlock({ header, body }: BlockBytes): Uint8Array {
  return new Writer(header.length + body.length).raw(header).raw(body).finish();
}

/** The body is a view of the bytes, which must not change afterwards: the blocks of a cut have megabytes. */
export function decodeFullBlock(bytes: Uint8Array): { header: Uint8Array; body: Uint8Array } {
  const header = new Reader(bytes, 'block').raw(BLOCK_HEADER_BYTES);
  return { header, body: bytes.subarray(BLOCK_HEADER_BYTES) };
}

export function decodeId(bytes: Uint8Array): string {
  const reader = new Reader(bytes, 'id');
  const id = toHex(reader.raw(ID_BYTES));
  reader.end();
  return id;
}

function writeIds(writer: Writer, ids: readonly string[]): Writer {
  writer.varint(ids.length);
  for (const id of ids) writer.raw(fromHex(id, 'id', ID_BYTES));
  return writer;
}

function readIds(reader: Reader, countMax: number, path: string): string[] {
  const count = expectCount(reader.varint(), countMax, path);
  return Array.from({ length: count }, () => toHex(reader.raw(ID_BYTES)));
}

function expectCount(count: number, most: number, path: string): number {
  if (count <= most) return count;
  throw new SvcError('out_of_range', `expected at most ${most}, found ${count}`, { path });
}
