/**
 * Brings the history nodes of a store to its head: what is missing follows from the ids of the cuts that it has, and
 * the root must be the one that the state has peaks for.
 */
import { type PastCutsRecord, SINGLE_KEY } from 'svc-ledger';
import { equalBytes, fromHex } from 'svc-wasm/base';
import { checkLeaves, decodeCutHeader, encodeListProof } from 'svc-wasm/protocol';
import { unpacked } from '../codec/codec.ts';
import type { Head } from '../codec/meta-records.ts';
import { STATE_CODECS } from '../codec/state-records.ts';
import type { KeyValueReader } from '../key-value/key-value-store.ts';
import { readCut } from '../reader/cut-reader.ts';
import { stateKey } from '../state/state-keys.ts';
import type { HistoryNodes } from './history-nodes.ts';

/** Nodes of another chain are rebuilt; they stay incomplete where the store lacks early cuts. */
export function fillHistory(
  history: HistoryNodes,
  reader: KeyValueReader,
  chainId: string,
  head: Head | null,
): void {
  const height = head?.height ?? 0;
  history.truncate(height);
  append(history, reader, chainId, height);
  if (history.count < height || arePeaksOf(history, reader)) return;
  history.truncate(0);
  append(history, reader, chainId, height);
}

function append(
  history: HistoryNodes,
  reader: KeyValueReader,
  chainId: string,
  height: number,
): void {
  while (history.count < height) {
    const id = idAt(reader, chainId, history.count);
    if (id === undefined) return;
    history.append(id);
  }
}

function idAt(reader: KeyValueReader, chainId: string, height: number): Uint8Array | undefined {
  const id = height === 0 ? chainId : readCut(reader, height)?.cutId;
  return id === undefined ? undefined : fromHex(id);
}

/**
 * Proves the ids of earlier cuts under the root in the header at a height; undefined where ids are missing. Nodes that a disk
 * has corrupted lead to another root: all are dropped, and the next start makes them again.
 */
export function provenCuts(
  history: HistoryNodes,
  reader: KeyValueReader,
  chainId: string,
  height: number,
  earlier: readonly number[],
): Uint8Array | undefined {
  const header = readCut(reader, height)?.header;
  if (history.count < height || header === undefined) return undefined;
  const proof = history.prove(height, earlier);
  const ids = earlier.map((each) => idAt(reader, chainId, each) ?? new Uint8Array(0));
  try {
    checkLeaves(proof, ids, decodeCutHeader(header).historyRoot);
    return encodeListProof(proof);
  } catch {
    history.truncate(0);
    return undefined;
  }
}

function arePeaksOf({ peaks }: HistoryNodes, reader: KeyValueReader): boolean {
  const record = reader.getSync(stateKey('pastCuts', SINGLE_KEY));
  const expected: PastCutsRecord['peaks'] =
    record === undefined ? [] : unpacked(STATE_CODECS.pastCuts, record, 'pastCuts').peaks;
  return (
    expected.length === peaks.length &&
    expected.every((peak, at) => equalBytes(peak, peaks[at] as Uint8Array))
  );
}

/** Appends the id of the head before the next one takes its place; not where earlier ids are missing. */
export function extendHistory(history: HistoryNodes, head: Head | null): void {
  if (head !== null && history.count === head.height) history.append(fromHex(head.cutId));
}
