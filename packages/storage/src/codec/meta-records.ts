/**
 * Metadata of the store: format and chain, its height, and what it keeps.
 */

import type { Codec } from './codec.ts';
import { ID_BYTES } from './sizes.ts';

export const META_NAMES = ['format', 'chain', 'head', 'retention', 'compacted', 'filled'] as const;
export type MetaName = (typeof META_NAMES)[number];

export const formatCodec: Codec<number> = {
  pack: (packer, version) => void packer.u32(version),
  unpack: (unpacker) => unpacker.u32(),
};

export const chainCodec: Codec<string> = {
  pack: (packer, chainId) => void packer.hex(chainId),
  unpack: (unpacker) => unpacker.hex(ID_BYTES),
};

/** The last cut that was committed; at height 0 the genesis, whose id is the chain's. */
export interface Head {
  readonly height: number;
  readonly cutId: string;
  readonly stateRoot: string;
  /** How many outputs there are. */
  readonly outputs: number;
}

export const headCodec: Codec<Head> = {
  pack(packer, { height, cutId, stateRoot, outputs }) {
    packer.number(height).hex(cutId).hex(stateRoot).number(outputs);
  },
  unpack: (unpacker) => ({
    height: unpacker.number(),
    cutId: unpacker.hex(ID_BYTES),
    stateRoot: unpacker.hex(ID_BYTES),
    outputs: unpacker.number(),
  }),
};

export const STORAGE_MODES = ['archive', 'full', 'pruned'] as const;
export type StorageMode = (typeof STORAGE_MODES)[number];

/** What this store promises to have. */
export interface Retention {
  readonly mode: StorageMode;
  /** The first cut that this store knows anything of; above 1 after a snapshot. */
  readonly firstHeight: number;
  /** The first cut whose history, changes, outcomes and events are here. */
  readonly indexedFrom: number;
  /** The first cut whose blocks' bytes are here. */
  readonly blocksFrom: number;
}

export const retentionCodec: Codec<Retention> = {
  pack(packer, { mode, firstHeight, indexedFrom, blocksFrom }) {
    packer
      .u8(STORAGE_MODES.indexOf(mode))
      .number(firstHeight)
      .number(indexedFrom)
      .number(blocksFrom);
  },
  unpack: (unpacker) => ({
    mode: unpacker.name(STORAGE_MODES),
    firstHeight: unpacker.number(),
    indexedFrom: unpacker.number(),
    blocksFrom: unpacker.number(),
  }),
};

/** Up to which cuts the space of deleted records has been given back. */
export type Compacted = Pick<Retention, 'indexedFrom' | 'blocksFrom'>;

export const compactedCodec: Codec<Compacted> = {
  pack: (packer, { indexedFrom, blocksFrom }) => void packer.number(indexedFrom).number(blocksFrom),
  unpack: (unpacker) => ({ indexedFrom: unpacker.number(), blocksFrom: unpacker.number() }),
};

/** What was fetched of cuts before the one that the store began with. They were not executed, so they are not indexed. */
export interface Filled {
  /** The first cut whose body is here. */
  readonly bodiesFrom: number;
  /** The first cut from which on every checkpoint has its certificate. */
  readonly certifiedFrom: number;
}

export const filledCodec: Codec<Filled> = {
  pack: (packer, { bodiesFrom, certifiedFrom }) =>
    void packer.number(bodiesFrom).number(certifiedFrom),
  unpack: (unpacker) => ({ bodiesFrom: unpacker.number(), certifiedFrom: unpacker.number() }),
};
