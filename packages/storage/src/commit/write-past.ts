/**
 * Cuts below the first one of a store that began with the state of a cut: their headers, bodies, certificates and
 * blocks, from the newest to the oldest. Each must have the id that the cut after it names. None is executed, so that they
 * get no histories, outcomes or events.
 */
import { toHex } from 'svc-wasm/base';
import { cutId, decodeCutHeader } from 'svc-wasm/protocol';
import type { Filled, Retention } from '../codec/meta-records.ts';
import type { KeyValueReader } from '../key-value/key-value-store.ts';
import { readCut } from '../reader/cut-reader.ts';
import { type CheckpointRules, isCheckpoint } from '../retention.ts';
import type { BatchBuilder } from './batch-builder.ts';
import type { BlockBytes } from './cut-commit.ts';
import { writeBlocks, writeCut } from './write-chain.ts';

/** A cut that is known by its id alone. */
export interface CutLink {
  readonly height: number;
  readonly cutId: string;
}

export interface PastCut {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
  /** Only checkpoints keep theirs. */
  readonly certificate: Uint8Array | null;
  /** The blocks that the cut registers; null where their bytes are not kept. */
  readonly blocks: readonly BlockBytes[] | null;
}

/** What a store says about cuts below the one that it began with. */
export interface Past {
  readonly retention: Retention;
  readonly filled: Filled;
}

/** The cut before the first one that is here; undefined before the genesis. */
export function linkBelow(reader: KeyValueReader, { firstHeight }: Retention): CutLink | undefined {
  const first = firstHeight <= 1 ? undefined : readCut(reader, firstHeight);
  if (first === undefined) return undefined;
  return { height: firstHeight - 1, cutId: toHex(decodeCutHeader(first.header).parentCutId) };
}

/** Whether all blocks down to the first cut are stored; the cut of the state itself has its blocks. */
export function hasBlocksToStart({ firstHeight, blocksFrom }: Retention): boolean {
  return blocksFrom <= firstHeight + 1;
}

/** Writes the cuts and returns what the store has with them; throws if they are not those below the link. */
export function writePast(
  batch: BatchBuilder,
  link: CutLink,
  cuts: readonly PastCut[],
  { retention, filled }: Past,
  rules: CheckpointRules,
): Past {
  let { height, cutId: expected } = link;
  let [hasBlocks, isCertified] = [
    hasBlocksToStart(retention),
    filled.certifiedFrom === retention.firstHeight,
  ];
  for (const { header, body, certificate, blocks } of cuts) {
    const fields = decodeCutHeader(header);
    if (toHex(cutId(header)) !== expected || fields.height !== BigInt(height))
      throw new Error(`cut ${height} is not the one that the cut after it names`);
    const isKept = isCheckpoint(height, rules);
    writeCut(batch, height, { cutId: expected, header, body });
    if (isKept && certificate !== null)
      batch.putChecked(batch.key('certificates').numberOrdered(height).finish(), certificate);
    if (blocks !== null) writeBlocks(batch, blocks);
    hasBlocks &&= blocks !== null;
    isCertified &&= !isKept || certificate !== null;
    expected = toHex(fields.parentCutId);
    height--;
  }
  const from = height + 1;
  const blocksFrom = hasBlocks ? from : retention.blocksFrom;
  const certifiedFrom = isCertified ? from : filled.certifiedFrom;
  return {
    retention: { ...retention, firstHeight: from, blocksFrom },
    filled: { bodiesFrom: from, certifiedFrom },
  };
}
