/**
 * Encodings of what is kept for readers: histories, outcomes, statuses, balances, work.
 */
import type { BlockReward, HistoryEntry, OutputSource, TransactionOutcome } from 'svc-ledger';
import type { Codec } from './codec.ts';
import { HISTORY_KINDS, OUTCOME_KINDS, SOURCES } from './names.ts';
import type { Packer } from './packer.ts';
import { ADDRESS_BYTES, ID_BYTES, OUTPOINT_BYTES } from './sizes.ts';
import type { Unpacker } from './unpacker.ts';

/** An output as its address's list shows it. The first 109 bytes are the value of its leaf. */
export interface UnspentRecord {
  readonly outpoint: string;
  readonly address: string;
  readonly amount: bigint;
  readonly source: OutputSource;
  readonly height: number;
}

export const unspentCodec: Codec<UnspentRecord> = {
  pack(packer, { outpoint, address, amount, source, height }) {
    packOutpoint(packer, outpoint);
    packer.hex(address).u64(amount).u8(SOURCES.indexOf(source)).number(height);
  },
  unpack: (unpacker) => ({
    outpoint: unpackOutpoint(unpacker),
    address: unpacker.hex(ADDRESS_BYTES),
    amount: unpacker.u64(),
    source: unpacker.name(SOURCES),
    height: unpacker.number(),
  }),
};

/** As in a leaf: the id, then the index, which the ledger's keys have big-endian. */
export function packOutpoint(packer: Packer, outpoint: string): void {
  const at = 2 * ID_BYTES;
  packer.hex(outpoint.slice(0, at)).u32(Number.parseInt(outpoint.slice(at), 16));
}

function unpackOutpoint(unpacker: Unpacker): string {
  return unpacker.hex(ID_BYTES) + unpacker.u32().toString(16).padStart(8, '0');
}

export interface Balance {
  readonly amount: bigint;
  /** The number of unspent outputs. */
  readonly outputs: number;
}

export const balanceCodec: Codec<Balance> = {
  pack: (packer, { amount, outputs }) => void packer.u64(amount).number(outputs),
  unpack: (unpacker) => ({ amount: unpacker.u64(), outputs: unpacker.number() }),
};

export type AddressEntry = Omit<HistoryEntry, 'address'>;

export const addressEntryCodec: Codec<AddressEntry> = {
  pack(packer, { kind, outpoint, amount, source, transactionId }) {
    packer
      .u8(HISTORY_KINDS.indexOf(kind))
      .hex(outpoint)
      .u64(amount)
      .u8(SOURCES.indexOf(source))
      .hex(transactionId);
  },
  unpack: (unpacker) => ({
    kind: unpacker.name(HISTORY_KINDS),
    outpoint: unpacker.hex(OUTPOINT_BYTES),
    amount: unpacker.u64(),
    source: unpacker.name(SOURCES),
    transactionId: unpacker.hex(ID_BYTES),
  }),
};

/** A page of entries fills its record; their number is not stored. */
function pageCodec<T>(entry: Codec<T>): Codec<readonly T[]> {
  return {
    pack(packer, entries) {
      for (const item of entries) entry.pack(packer, item);
    },
    unpack(unpacker) {
      const entries: T[] = [];
      while (unpacker.left > 0) entries.push(entry.unpack(unpacker));
      return entries;
    },
  };
}

export const changesCodec: Codec<readonly HistoryEntry[]> = pageCodec({
  pack(packer, entry) {
    packer.hex(entry.address);
    addressEntryCodec.pack(packer, entry);
  },
  unpack: (unpacker) => ({
    address: unpacker.hex(ADDRESS_BYTES),
    ...addressEntryCodec.unpack(unpacker),
  }),
});

export const outcomesCodec: Codec<readonly TransactionOutcome[]> = pageCodec({
  pack(packer, { transactionId, blockId, kind, reason, fee, noteHash, payers }) {
    packer.hex(transactionId).hex(blockId).u8(OUTCOME_KINDS.indexOf(kind)).text(reason).u64(fee);
    packer.flag(noteHash !== '');
    if (noteHash !== '') packer.hex(noteHash);
    packer.varint(payers.length);
    for (const payer of payers) packer.hex(payer);
  },
  unpack: (unpacker) => ({
    transactionId: unpacker.hex(ID_BYTES),
    blockId: unpacker.hex(ID_BYTES),
    kind: unpacker.name(OUTCOME_KINDS),
    reason: unpacker.text(),
    fee: unpacker.u64(),
    noteHash: unpacker.flag() ? unpacker.hex(ID_BYTES) : '',
    payers: unpacker.list(() => unpacker.hex(ADDRESS_BYTES)),
  }),
});

/** What the chain last said about a transaction; a final outcome stays. */
export interface StatusRecord {
  readonly outcome: Pick<TransactionOutcome, 'blockId' | 'kind' | 'reason' | 'fee'>;
  /** The cut that executed the block; the cut before registered it. */
  readonly height: number;
  /** Its place among the outcomes of the cut. */
  readonly index: number;
}

export const statusCodec: Codec<StatusRecord> = {
  pack(packer, { outcome, height, index }) {
    packer
      .hex(outcome.blockId)
      .u8(OUTCOME_KINDS.indexOf(outcome.kind))
      .text(outcome.reason)
      .u64(outcome.fee)
      .number(height)
      .u32(index);
  },
  unpack: (unpacker) => ({
    outcome: {
      blockId: unpacker.hex(ID_BYTES),
      kind: unpacker.name(OUTCOME_KINDS),
      reason: unpacker.text(),
      fee: unpacker.u64(),
    },
    height: unpacker.number(),
    index: unpacker.u32(),
  }),
};

/** A registered block and, once its anchor's window has closed, what it earned. */
export interface WorkRecord {
  readonly anchorHeight: number;
  readonly registeredHeight: number;
  readonly payoutAddress: string;
  readonly reward: WorkReward | null;
}

export type WorkReward = Pick<
  BlockReward,
  'share' | 'fees' | 'amount' | 'outpoint' | 'outputAmount'
>;

export function packReward(packer: Packer, reward: WorkReward): void {
  const { share, fees, amount, outpoint, outputAmount } = reward;
  packer
    .u64(share)
    .u64(fees)
    .u64(amount)
    .u64(outputAmount)
    .flag(outpoint !== null);
  if (outpoint !== null) packer.hex(outpoint.transactionId).u32(outpoint.outputIndex);
}

export function unpackReward(unpacker: Unpacker): WorkReward {
  return {
    share: unpacker.u64(),
    fees: unpacker.u64(),
    amount: unpacker.u64(),
    outputAmount: unpacker.u64(),
    outpoint: unpacker.flag()
      ? { transactionId: unpacker.hex(ID_BYTES), outputIndex: unpacker.u32() }
      : null,
  };
}

export const workCodec: Codec<WorkRecord> = {
  pack(packer, { anchorHeight, registeredHeight, payoutAddress, reward }) {
    packer
      .number(anchorHeight)
      .number(registeredHeight)
      .hex(payoutAddress)
      .flag(reward !== null);
    if (reward !== null) packReward(packer, reward);
  },
  unpack: (unpacker) => ({
    anchorHeight: unpacker.number(),
    registeredHeight: unpacker.number(),
    payoutAddress: unpacker.hex(ADDRESS_BYTES),
    reward: unpacker.flag() ? unpackReward(unpacker) : null,
  }),
};

/** The height of the cut that brought a key into the registry. */
export const keyHeightCodec: Codec<number> = {
  pack: (packer, height) => void packer.number(height),
  unpack: (unpacker) => unpacker.number(),
};
