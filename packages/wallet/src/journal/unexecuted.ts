/**
 * Transactions whose time has passed and whose inputs the history lacks, or is said to have lost to them. That a coin is
 * missing does not show whether it never came or was spent by the transaction itself; what shows it is whether a cut has
 * executed the transaction. The headers
 * of cuts are read backwards from one that the wallet has followed, each by the id that the one above names, down to the
 * first height at which a transaction was valid, and with each header all outcomes of its cut, which its outcome root
 * commits to. A few are read at a turn; all transactions that wait for it share one reading.
 */
import type { Client } from 'svc-client';
import { outcomeRoot, readOutcomePages } from 'svc-client/evidence';
import { inspectTransaction, SvcError, type TransactionInspection } from 'svc-wasm';
import { fromHex, toHex } from 'svc-wasm/base';
import { cutId, decodeCutHeader } from 'svc-wasm/protocol';
import { WalletError } from '../errors.ts';
import { isNotKept, reading } from '../node/node-fault.ts';
import type { KeptCut } from '../state/cuts.ts';
import type { StoredEvent } from '../state/events.ts';
import type { JournalTransaction } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import { settle } from './settle.ts';

export interface UnexecutedPorts {
  readonly state: State;
  readonly client: Pick<Client, 'cut' | 'cutTransactions'>;
  onEvents(events: readonly StoredEvent[]): void;
  /** The manifest of the chain, which says how transactions are read. */
  manifest(): Promise<string>;
}

interface Sought {
  readonly transaction: JournalTransaction;
  readonly validFrom: number;
}

interface Walk {
  /** By transaction id. */
  readonly sought: ReadonlyMap<string, Sought>;
  /** The first height at which any of them was valid, and the last one. */
  readonly from: number;
  readonly until: number;
  /** The cut that the reading began with, which the wallet has followed. */
  readonly anchor: KeptCut;
  /** The cut that is read next. */
  next: KeptCut;
}

/** How many answers of the node are read at a turn, but for a cut that needs more. */
const ANSWERS_PER_TURN = 64;
export class UnexecutedSearch {
  #walk: Walk | undefined;
  /** The cut that the last reading began with. */
  #anchor: KeptCut | undefined;
  /** Transactions that a cut has executed, by id: nothing is left to be sought of them in this history. */
  readonly #executed = new Set<string>();
  /** Transactions that were valid in cuts which the node does not keep, by id. */
  readonly #undecidable = new Set<string>();

  /** Reads on for these transactions, and settles them once it is shown which of them a cut has executed. */
  async readOn(
    ports: UnexecutedPorts,
    waiting: readonly JournalTransaction[],
    indexedHeight: number,
  ): Promise<void> {
    const { client, onEvents, state } = ports;
    if (this.#anchor !== undefined && !isFollowed(state, this.#anchor)) this.#forget();
    this.#walk ??= await begin(
      ports,
      waiting.filter(({ transactionId }) => this.#isSought(transactionId)),
    );
    const walk = this.#walk;
    if (walk === undefined) return;
    this.#anchor = walk.anchor;
    try {
      for (let left = ANSWERS_PER_TURN; left > 0 && walk.next.height >= walk.from; ) {
        const { answers, executed, height } = await readCut(client, walk);
        left -= answers;
        for (const id of executed) onEvents(this.#settleExecuted(ports, walk, id, height));
      }
    } catch (error) {
      // A node that shows something else than the wallet has followed is read again from the start.
      if (error instanceof SvcError) this.#walk = undefined;
      if (isNotKept(error)) this.#leaveOut(walk);
      throw error;
    }
    if (walk.next.height >= walk.from) return;
    this.#walk = undefined;
    onEvents(this.#settle(state, walk, indexedHeight));
  }

  #isSought(transaction: string): boolean {
    return !this.#executed.has(transaction) && !this.#undecidable.has(transaction);
  }

  /** Another history is read from the start. */
  #forget(): void {
    this.#walk = undefined;
    this.#anchor = undefined;
    this.#executed.clear();
    this.#undecidable.clear();
  }

  /** Gives up those that were valid in a cut which the node does not keep; the others are sought without them. */
  #leaveOut(walk: Walk): void {
    for (const [id, { validFrom }] of walk.sought)
      if (validFrom <= walk.next.height) this.#undecidable.add(id);
    this.#walk = undefined;
  }

  /** Settles a transaction that a cut has executed, whether or not the node says what it has spent. */
  #settleExecuted(
    { state }: UnexecutedPorts,
    walk: Walk,
    transaction: string,
    height: number,
  ): StoredEvent[] {
    this.#executed.add(transaction);
    return state.database.transaction(() => {
      const own = state.journal.findTransaction(transaction);
      if (own === undefined || own.state === 'final' || !isFollowed(state, walk.anchor)) return [];
      const notice = settle(state, own, { outcome: 'finalized', height });
      return [state.events.add('settled', height, notice)];
    });
  }

  #settle(state: State, walk: Walk, indexedHeight: number): StoredEvent[] {
    const { cutId: cut_id, height } = walk.anchor;
    return state.database.transaction(() => {
      if (!isFollowed(state, walk.anchor)) return [];
      return [...walk.sought.values()].flatMap(({ transaction, validFrom }) => {
        const isOpen = state.journal.transaction(transaction.id).state !== 'final';
        if (!isOpen || this.#executed.has(transaction.transactionId)) return [];
        const not_executed = { from_height: validFrom, to_height: transaction.validUntil };
        const proof = JSON.stringify({ proven: true, not_executed, cut: { height, cut_id } });
        const settlement = { outcome: 'expired', height: indexedHeight, proof } as const;
        for (const output of state.outputs.spentBy(transaction.transactionId))
          state.outputs.undoSpend(output.id, indexedHeight);
        return [state.events.add('settled', indexedHeight, settle(state, transaction, settlement))];
      });
    });
  }
}

function isFollowed({ cuts }: State, { cutId: id, height }: KeptCut): boolean {
  const kept = cuts.atOrBelow(height);
  return kept?.height === height && kept.cutId === id;
}

async function begin(
  { manifest, state }: UnexecutedPorts,
  waiting: readonly JournalTransaction[],
): Promise<Walk | undefined> {
  const anchor = state.cuts.newest();
  if (waiting.length === 0 || anchor === undefined) return undefined;
  const terms = await manifest();
  const sought = new Map<string, Sought>();
  for (const transaction of waiting) {
    const wire = state.journal.wireOf(transaction.id);
    if (wire === null || transaction.validUntil > anchor.height) continue;
    const read = JSON.parse(inspectTransaction(wire, terms)) as TransactionInspection;
    const validFrom = Math.max(1, Number(read.valid_from_height));
    sought.set(transaction.transactionId, { transaction, validFrom });
  }
  if (sought.size === 0) return undefined;
  const all = [...sought.values()];
  const from = Math.min(...all.map(({ validFrom }) => validFrom));
  const until = Math.max(...all.map(({ transaction }) => transaction.validUntil));
  return { sought, from, until, anchor, next: anchor };
}

interface ReadCut {
  /** How many answers of the node it took. */
  readonly answers: number;
  /** Those of the transactions sought that the cut has executed, by id. */
  readonly executed: readonly string[];
  readonly height: number;
}

/** Reads the next cut of a walk. */
async function readCut(client: UnexecutedPorts['client'], walk: Walk): Promise<ReadCut> {
  const { height, cutId: id } = walk.next;
  const { cut } = await reading(client.cut({ height }));
  if (cut.header_hex === undefined)
    throw new WalletError('not_offered', 'the node does not show headers of cuts');
  const bytes = fromHex(cut.header_hex);
  if (toHex(cutId(bytes)) !== id) throw new SvcError('not_trusted', `cut ${height} is not ${id}`);
  const header = decodeCutHeader(bytes);
  const pages = height > walk.until ? [] : await reading(readOutcomePages(client, height));
  const outcomes = pages?.flat() ?? [];
  if (height <= walk.until && outcomeRoot(outcomes) !== toHex(header.outcomeRoot)) {
    const message = `the outcomes of cut ${height} are not those that were signed`;
    throw new SvcError('not_trusted', message);
  }
  const executed = outcomes
    .filter(({ outcome, transaction_id: own }) => outcome === 'finalized' && walk.sought.has(own))
    .map(({ transaction_id }) => transaction_id);
  walk.next = { height: height - 1, cutId: toHex(header.parentCutId) };
  return { answers: 1 + (pages?.length ?? 0), executed, height };
}
