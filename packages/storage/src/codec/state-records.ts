/**
 * Encodings of the state's tables. Those about stake have a file of their own.
 */
import type {
  AnchorRecord,
  BlockRecord,
  BodyRecord,
  EconomyRecord,
  KeyRecord,
  OutputRecord,
  PastCutsRecord,
  RegisteredRecord,
  SpentListRecord,
  SpentRecord,
  Table,
  Tables,
} from 'svc-ledger';
import type { Codec } from './codec.ts';
import { SOURCES } from './names.ts';
import { ADDRESS_BYTES, ID_BYTES, OUTPOINT_BYTES } from './sizes.ts';
import {
  epochCodec,
  poolCodec,
  positionCodec,
  releaseCodec,
  validatorCodec,
} from './stake-records.ts';

const TARGET_BYTES = 32;

const outputCodec: Codec<OutputRecord> = {
  pack(packer, { address, amount, source, height }) {
    packer.hex(address).u64(amount).u8(SOURCES.indexOf(source)).number(height);
  },
  unpack: (unpacker) => ({
    address: unpacker.hex(ADDRESS_BYTES),
    amount: unpacker.u64(),
    source: unpacker.name(SOURCES),
    height: unpacker.number(),
  }),
};

const spentCodec: Codec<SpentRecord> = {
  pack(packer, { transactionId, height }) {
    packer.hex(transactionId).number(height);
  },
  unpack: (unpacker) => ({ transactionId: unpacker.hex(ID_BYTES), height: unpacker.number() }),
};

const spentListCodec: Codec<SpentListRecord> = {
  pack(packer, { outpoints }) {
    packer.varint(outpoints.length);
    for (const outpoint of outpoints) packer.hex(outpoint);
  },
  unpack: (unpacker) => ({ outpoints: unpacker.list(() => unpacker.hex(OUTPOINT_BYTES)) }),
};

const keyCodec: Codec<KeyRecord> = {
  pack: (packer, { publicKey }) => void packer.counted(publicKey),
  unpack: (unpacker) => ({ publicKey: unpacker.counted() }),
};

const anchorCodec: Codec<AnchorRecord> = {
  pack: (packer, { amount }) => void packer.u64(amount),
  unpack: (unpacker) => ({ amount: unpacker.u64() }),
};

const blockCodec: Codec<BlockRecord> = {
  pack(packer, { registeredHeight, payoutAddress, fees }) {
    packer.number(registeredHeight).hex(payoutAddress).u64(fees);
  },
  unpack: (unpacker) => ({
    registeredHeight: unpacker.number(),
    payoutAddress: unpacker.hex(ADDRESS_BYTES),
    fees: unpacker.u64(),
  }),
};

const bodyCodec: Codec<BodyRecord> = {
  pack: (packer, { blockId }) => void packer.hex(blockId),
  unpack: (unpacker) => ({ blockId: unpacker.hex(ID_BYTES) }),
};

const registeredCodec: Codec<RegisteredRecord> = {
  pack(packer, { blocks }) {
    packer.varint(blocks.length);
    for (const { id, anchorHeight, bodyRoot } of blocks)
      packer.hex(id).number(anchorHeight).hex(bodyRoot);
  },
  unpack: (unpacker) => ({
    blocks: unpacker.list(() => ({
      id: unpacker.hex(ID_BYTES),
      anchorHeight: unpacker.number(),
      bodyRoot: unpacker.hex(ID_BYTES),
    })),
  }),
};

const economyCodec: Codec<EconomyRecord> = {
  pack(packer, economy) {
    const { emission, openPool } = economy;
    packer
      .number(economy.height)
      .u64(economy.minted)
      .u64(economy.burned)
      .u64(economy.outputs)
      .u64(economy.bonded)
      .u64(economy.unbonding)
      .u64(economy.slashed)
      .u64(economy.workReserve)
      .u64(economy.stakeReserve)
      .u64(emission.remaining)
      .u64(emission.carry)
      .u64(emission.intervalAmount)
      .u64(economy.workCarry)
      .u64(economy.stakePool)
      .flag(openPool !== null);
    if (openPool !== null) packer.number(openPool);
    packer
      .hex(economy.workTarget.toString(16).padStart(2 * TARGET_BYTES, '0'))
      .number(economy.paceMillis)
      .number(economy.paceBaseMillis)
      .number(economy.timeMillis);
  },
  unpack: (unpacker) => ({
    height: unpacker.number(),
    minted: unpacker.u64(),
    burned: unpacker.u64(),
    outputs: unpacker.u64(),
    bonded: unpacker.u64(),
    unbonding: unpacker.u64(),
    slashed: unpacker.u64(),
    workReserve: unpacker.u64(),
    stakeReserve: unpacker.u64(),
    emission: {
      remaining: unpacker.u64(),
      carry: unpacker.u64(),
      intervalAmount: unpacker.u64(),
    },
    workCarry: unpacker.u64(),
    stakePool: unpacker.u64(),
    openPool: unpacker.flag() ? unpacker.number() : null,
    workTarget: BigInt(`0x${unpacker.hex(TARGET_BYTES)}`),
    paceMillis: unpacker.number(),
    paceBaseMillis: unpacker.number(),
    timeMillis: unpacker.number(),
  }),
};

const pastCutsCodec: Codec<PastCutsRecord> = {
  pack(packer, { peaks }) {
    packer.varint(peaks.length);
    for (const peak of peaks) packer.raw(peak);
  },
  unpack: (unpacker) => ({ peaks: unpacker.list(() => unpacker.raw(ID_BYTES)) }),
};

export const STATE_CODECS: { readonly [T in Table]: Codec<Tables[T]> } = {
  outputs: outputCodec,
  positions: positionCodec,
  validators: validatorCodec,
  keys: keyCodec,
  spent: spentCodec,
  spentLists: spentListCodec,
  anchors: anchorCodec,
  blocks: blockCodec,
  bodies: bodyCodec,
  registered: registeredCodec,
  releases: releaseCodec,
  pools: poolCodec,
  epoch: epochCodec,
  economy: economyCodec,
  pastCuts: pastCutsCodec,
};
