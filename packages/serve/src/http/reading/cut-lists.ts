/**
 * The lists that the header of a cut commits to, as Merkle trees, and proofs from them. The lists of the cuts that were
 * asked for last are kept: a wallet asks for each new cut, and its addresses may take several requests.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import QuickLRU from 'quick-lru';
import {
  changeRecords,
  type HistoryEntry,
  outcomeRecords,
  type TransactionOutcome,
} from 'svc-ledger';
import { type ChainReader, type CutRow, PAGE_LIMITS, type Page } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import {
  encodeLeavesProof,
  hashListLeaves,
  type ListLeaf,
  listLevels,
  type NodeOver,
  proveLeaves,
} from 'svc-wasm/protocol';
import { Refused } from '../../refusal.ts';

const ID_BYTES = 48;
const ADDRESS_BYTES = 49;
/** A full cut has about 13,000 changes: 4 MB with its tree. */
const LISTS_KEPT = 8;
/** Leaves whose digests are made without a turn for other requests: about a millisecond of hashing. */
const LEAVES_AT_ONCE = 512;
/** In hexadecimal an answer still fits one frame of a socket. */
const PROOF_BYTES_MAX = 120_000;

interface CutList {
  readonly records: readonly Uint8Array[];
  readonly nodeOver: NodeOver;
}

/** On a development network another cut may take the height of one that was listed. */
export type ListedCut = Pick<CutRow, 'cutId' | 'height'>;

export class CutLists {
  readonly #lists = new QuickLRU<string, Promise<CutList>>({ maxSize: LISTS_KEPT });

  /** Proves all that a cut changed for addresses, which are given in hexadecimal, by their leaves and those beside them. */
  async proveChanges(
    reader: ChainReader,
    cut: ListedCut,
    addresses: readonly string[],
  ): Promise<Uint8Array> {
    const list = await this.#list('change', reader, cut);
    const positions = addresses.flatMap((address) => neighbourhoodOf(list.records, address));
    return proofOf(list, positions, 'addresses');
  }

  /** Proves what became of transactions in a cut. */
  async proveOutcomes(
    reader: ChainReader,
    cut: ListedCut,
    transactionIds: readonly string[],
  ): Promise<Uint8Array> {
    const list = await this.#list('outcome', reader, cut);
    const wanted = new Set(transactionIds);
    const found = new Set<string>();
    const positions = list.records.flatMap((record, position) => {
      const id = toHex(record.subarray(0, ID_BYTES));
      if (!wanted.has(id)) return [];
      found.add(id);
      return [position];
    });
    const missing = transactionIds.findIndex((id) => !found.has(id));
    if (missing >= 0) {
      const path = `transaction_ids[${missing}]`;
      throw new Refused('not_found', 'this cut has not seen the transaction', { path });
    }
    return proofOf(list, positions, 'transaction_ids');
  }

  /** The leaves of all changes of a cut, in the order of the tree. */
  async changeLeaves(reader: ChainReader, cut: ListedCut): Promise<readonly Uint8Array[]> {
    return (await this.#list('change', reader, cut)).records;
  }

  #list(kind: ListLeaf, reader: ChainReader, { cutId, height }: ListedCut): Promise<CutList> {
    const name = `${kind} ${cutId}`;
    const known = this.#lists.get(name);
    if (known !== undefined) return known;
    const list = kind === 'change' ? changesOf(reader, height) : outcomesOf(reader, height);
    this.#lists.set(name, list);
    list.catch(() => this.#lists.delete(name));
    return list;
  }
}

async function changesOf(reader: ChainReader, height: number): Promise<CutList> {
  const limit = PAGE_LIMITS.cutChanges;
  const entries: HistoryEntry[] = [];
  for await (const { entry } of rowsOf((after) => reader.cutChanges(height, { after, limit })))
    entries.push(entry);
  return listOf('change', changeRecords(entries));
}

async function outcomesOf(reader: ChainReader, height: number): Promise<CutList> {
  const limit = PAGE_LIMITS.cutTransactions;
  const outcomes: TransactionOutcome[] = [];
  for await (const { outcome } of rowsOf((after) =>
    reader.cutTransactions(height, { after, limit }),
  ))
    outcomes.push(outcome);
  return listOf('outcome', outcomeRecords(outcomes));
}

async function* rowsOf<Row>(
  read: (after: number | undefined) => Promise<Page<Row, number>>,
): AsyncGenerator<Row> {
  let after: number | undefined;
  for (;;) {
    const { rows, next } = await read(after);
    yield* rows;
    if (next === null) return;
    after = next;
  }
}

async function listOf(kind: ListLeaf, records: readonly Uint8Array[]): Promise<CutList> {
  const digests = new Uint8Array(records.length * ID_BYTES);
  for (let first = 0; first < records.length; first += LEAVES_AT_ONCE) {
    if (first > 0) await nextTurn();
    digests.set(
      hashListLeaves(kind, records.slice(first, first + LEAVES_AT_ONCE)),
      first * ID_BYTES,
    );
  }
  const levels = listLevels(digests);
  const nodeOver: NodeOver = (first, end) => {
    const height = Math.ceil(Math.log2(end - first));
    const at = (first / 2 ** height) * ID_BYTES;
    return (levels[height] as Uint8Array).subarray(at, at + ID_BYTES);
  };
  return { records, nodeOver };
}

function proofOf(
  { records, nodeOver }: CutList,
  positions: readonly number[],
  path: string,
): Uint8Array {
  const indexes = [...new Set(positions)].sort((a, b) => a - b);
  const list = proveLeaves(records.length, indexes, nodeOver);
  const leaves = indexes.map((index) => records[index] as Uint8Array);
  const bytes = list.nodes.length * ID_BYTES + leaves.reduce((sum, { length }) => sum + length, 0);
  if (bytes <= PROOF_BYTES_MAX) return encodeLeavesProof(list, leaves);
  throw new Refused('too_many_items', 'the proof is too large; ask for fewer, or for the list', {
    path,
  });
}

/** The positions of the leaves of an address, and of the one before and the one behind them. */
function neighbourhoodOf(records: readonly Uint8Array[], address: string): number[] {
  const first = firstFrom(records, address);
  let end = first;
  while (end < records.length && addressAt(records, end) === address) end++;
  const from = Math.max(0, first - 1);
  return Array.from({ length: Math.min(records.length, end + 1) - from }, (_, at) => from + at);
}

/** Leaves ascend by address: the first with this address or a later one. */
function firstFrom(records: readonly Uint8Array[], address: string): number {
  let [from, to] = [0, records.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (addressAt(records, middle) >= address) to = middle;
    else from = middle + 1;
  }
  return from;
}

function addressAt(records: readonly Uint8Array[], position: number): string {
  return toHex((records[position] as Uint8Array).subarray(0, ADDRESS_BYTES));
}
