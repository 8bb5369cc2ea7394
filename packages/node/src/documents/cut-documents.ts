/**
 * Cuts as documents show them.
 */
import type { CutReference, CutSummary as CutSummaryDocument } from 'svc-api';
import type { ChainReader, CutRow, CutSummary } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { type CutHeader, decodeCutHeader } from 'svc-wasm/protocol';
import { Refused } from '../refusal/refused.ts';

export function cutReference({ height, cutId, header }: CutRow): CutReference {
  return referenceOf(height, cutId, decodeCutHeader(header));
}

export function referenceOf(height: number, cutId: string, header: CutHeader): CutReference {
  return {
    height,
    cut_id: cutId,
    state_root: toHex(header.stateRoot),
    validator_set_id: toHex(header.validatorSetId),
  };
}

/** The reference of a cut that may not be final yet. */
export async function referenceAt(
  reader: ChainReader,
  height: number,
): Promise<CutReference | null> {
  const row = height > reader.head.height ? undefined : await reader.cut(height);
  return row === undefined ? null : cutReference(row);
}

/** `summary` is absent where the node no longer keeps what the cut did. */
export function cutSummary(
  { height, cutId }: CutRow,
  header: CutHeader,
  summary: CutSummary | undefined,
): CutSummaryDocument {
  return {
    ...referenceOf(height, cutId, header),
    time_millis: Number(header.time),
    proposer: header.proposer,
    registered_work: header.registeredCount,
    executed_work: summary?.executedWork ?? null,
    transactions: summary?.transactions ?? null,
  };
}

/** Refuses a height whose cut is not here, and says why. */
export function expectKept(reader: ChainReader, height: number, from: number): void {
  const head = reader.head.height;
  if (height > head) {
    throw new Refused('not_yet', `expected a height up to ${head}`, { path: 'height' });
  }
  if (height !== 0 && height < from) {
    const { mode, firstHeight } = reader.retention;
    const reason =
      height >= firstHeight
        ? 'this node has earlier cuts, but no lists of what they did'
        : mode === 'pruned'
          ? 'this node does not keep earlier cuts'
          : 'this node is still fetching earlier cuts';
    throw new Refused('not_kept', `expected a height from ${from}: ${reason}`, { path: 'height' });
  }
}

/** The row of a finalized cut; refuses height 0, since the genesis is no cut. */
export async function expectCut(reader: ChainReader, height: number): Promise<CutRow> {
  expectKept(reader, height, reader.retention.firstHeight);
  const row = await reader.cut(height);
  if (row !== undefined) return row;
  throw new Refused('not_found', 'there is no cut at this height', { path: 'height' });
}
