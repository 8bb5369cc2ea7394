/**
 * Balances, unspent outputs and histories of addresses.
 */
import { ROUTES, ROWS_MAX } from 'svc-api';
import { type ChainReader, type HistoryPosition, type HistoryRow, PAGE_LIMITS } from 'svc-storage';
import { addressChange, historyEvent, utxoDocument } from '../../documents/transactions.ts';
import { Refused } from '../../refusal.ts';
import { fittingRows } from '../answers.ts';
import { Cursors, HISTORY_POSITION, hexPosition } from '../requests/cursors.ts';
import type { Handler } from './handler.ts';

export interface MergeRequest {
  readonly after: HistoryPosition | undefined;
  readonly aboveHeight: number;
  readonly limit: number;
}

export interface MergedRow {
  readonly address: string;
  readonly row: HistoryRow;
}

export interface Merged {
  readonly rows: readonly MergedRow[];
  readonly hasMore: boolean;
}

const PIECE_MIN = 16;

/**
 * Histories of several addresses as one list, oldest first. Rows are read in pieces that shrink with the number
 * of addresses, so that a short page of many addresses does not read much more than it shows.
 */
class Source {
  readonly address: string;
  readonly #reader: ChainReader;
  readonly #aboveHeight: number;
  readonly #piece: number;
  #rows: readonly HistoryRow[] = [];
  #at = 0;
  #next: HistoryPosition | undefined;
  #isDone = false;

  constructor(reader: ChainReader, address: string, request: MergeRequest, piece: number) {
    this.address = address;
    this.#reader = reader;
    this.#aboveHeight = request.aboveHeight;
    this.#next = request.after;
    this.#piece = piece;
  }

  get head(): HistoryRow | undefined {
    return this.#rows[this.#at];
  }

  /** Reads the next piece if all rows were used and the history may have more. */
  async fill(): Promise<void> {
    if (this.#isDone || this.#at < this.#rows.length) return;
    const { rows, next } = await this.#reader.history(this.address, {
      after: this.#next,
      limit: this.#piece,
      order: 'oldest',
      aboveHeight: this.#aboveHeight,
    });
    this.#rows = rows;
    this.#at = 0;
    this.#isDone = next === null;
    this.#next = next ?? undefined;
  }

  async step(): Promise<void> {
    this.#at++;
    await this.fill();
  }
}

/** The addresses must be distinct. */
export async function mergeHistories(
  reader: ChainReader,
  addresses: readonly string[],
  request: MergeRequest,
): Promise<Merged> {
  const share = Math.ceil((2 * request.limit) / addresses.length);
  const piece = Math.min(PAGE_LIMITS.history, Math.max(PIECE_MIN, share));
  const sources = addresses.map((address) => new Source(reader, address, request, piece));
  for (const source of sources) await source.fill();
  const rows: MergedRow[] = [];
  for (;;) {
    const source = earliest(sources);
    if (source?.head === undefined) return { rows, hasMore: false };
    if (rows.length === request.limit) return { rows, hasMore: true };
    rows.push({ address: source.address, row: source.head });
    await source.step();
  }
}

function earliest(sources: readonly Source[]): Source | undefined {
  let best: Source | undefined;
  for (const source of sources) {
    if (source.head === undefined) continue;
    if (best?.head === undefined || isBefore(source.head, best.head)) best = source;
  }
  return best;
}

function isBefore(a: HistoryPosition, b: HistoryPosition): boolean {
  return a.height === b.height ? a.index < b.index : a.height < b.height;
}

export const addressBalance: Handler<'addressBalance'> = (
  { addresses, readers },
  { params: { address } },
) => {
  const hex = addresses.hex(address);
  return readers.readNow((snapshot) => {
    const { reader, height } = snapshot;
    // A client that waits for a payment asks again and again: the store is read once for a height.
    const { amount, outputs } = snapshot.once(hex, () => reader.balance(hex));
    const document = {
      api_version: 1,
      address,
      balance: String(amount),
      utxos: outputs,
      indexed_height: height,
    } as const;
    return { height, document };
  });
};

const POSITION = hexPosition(64);

export const addressUtxos: Handler<'addressUtxos'> = (
  { readers, addresses },
  { params: { address }, query },
) => {
  const hex = addresses.hex(address);
  const cursors = new Cursors(ROUTES.addressUtxos.name, hex, POSITION);
  return readers.read(async ({ reader, height }) => {
    const after = cursors.read(query.cursor, height);
    const { rows, next } = await reader.utxos(hex, {
      after,
      limit: query.limit ?? ROUTES.addressUtxos.page.default,
    });
    const document = {
      api_version: 1,
      address,
      indexed_height: height,
      utxos: rows.map(utxoDocument),
      ...cursors.next(next, height),
    } as const;
    return { height, document };
  });
};

export const addressHistory: Handler<'addressHistory'> = (
  { readers, addresses },
  { params: { address }, query },
) => {
  const hex = addresses.hex(address);
  const cursors = new Cursors(ROUTES.addressHistory.name, hex, HISTORY_POSITION);
  return readers.read(async ({ reader, height }) => {
    const { indexedFrom } = reader.retention;
    const after = cursors.read(query.cursor, height);
    const { rows, next } = await reader.history(hex, {
      after,
      limit: query.limit ?? ROUTES.addressHistory.page.default,
    });
    const document = {
      api_version: 1,
      address,
      indexed_height: height,
      ...(indexedFrom > 1 ? { indexed_from: indexedFrom } : {}),
      events: rows.map(historyEvent),
      ...cursors.next(next, height),
    } as const;
    return { height, document };
  });
};

export const addressBalances: Handler<'addressBalances'> = ({ readers, addresses }, { body }) => {
  const hexes = addresses.hexes(body.addresses);
  return readers.read(async ({ reader, height }) => {
    const rows = await reader.balances(hexes);
    const balances = rows.map(({ amount, outputs }, index) => ({
      address: body.addresses[index] as string,
      balance: String(amount),
      utxos: outputs,
    }));
    return { height, document: { api_version: 1, indexed_height: height, balances } };
  });
};

export const addressUtxosBatch: Handler<'addressUtxosBatch'> = (
  { readers, addresses },
  { body },
) => {
  const hexes = addresses.hexes(body.addresses);
  return readers.read(async ({ reader, height }) => {
    const listed = [];
    let rowsLeft: number = ROWS_MAX;
    for (const [index, hex] of hexes.entries()) {
      const address = body.addresses[index] as string;
      const limit = Math.min(rowsLeft, PAGE_LIMITS.utxos);
      if (limit === 0) {
        listed.push({ address, utxos: [], truncated: true });
        continue;
      }
      const { rows, next } = await reader.utxos(hex, { limit });
      rowsLeft -= rows.length;
      listed.push({ address, utxos: rows.map(utxoDocument), truncated: next !== null });
    }
    const document = {
      api_version: 1,
      indexed_height: height,
      addresses: shortened(listed),
    } as const;
    return { height, document };
  });
};

interface Listed {
  readonly address: string;
  readonly utxos: ReturnType<typeof utxoDocument>[];
  readonly truncated: boolean;
}

/** Drops the rows that would make the answer too large. */
function shortened(listed: readonly Listed[]): Listed[] {
  let left = fittingRows(listed.flatMap(({ utxos }) => utxos));
  return listed.map(({ address, utxos, truncated }) => {
    const kept = utxos.slice(0, left);
    left -= kept.length;
    return { address, utxos: kept, truncated: truncated || kept.length < utxos.length };
  });
}

export const addressChanges: Handler<'addressChanges'> = ({ readers, addresses }, { body }) => {
  const hexes = addresses.hexes(body.addresses);
  const textOf = new Map(hexes.map((hex, index) => [hex, body.addresses[index] as string]));
  const cursors = new Cursors(
    ROUTES.addressChanges.name,
    [body.after_height, ...hexes].join(),
    HISTORY_POSITION,
  );
  const limit = body.limit ?? ROUTES.addressChanges.page.default;
  return readers.read(async ({ reader, height }) => {
    const { indexedFrom } = reader.retention;
    const aboveHeight = body.after_height ?? indexedFrom - 1;
    if (aboveHeight + 1 < indexedFrom) {
      throw new Refused('not_kept', `expected at least ${indexedFrom - 1}`, {
        path: 'after_height',
      });
    }
    const after = cursors.read(body.cursor, height);
    const merged = await mergeHistories(reader, [...textOf.keys()], { after, aboveHeight, limit });
    const changes = merged.rows.map(({ address, row }) =>
      addressChange(textOf.get(address) as string, row),
    );
    const count = fittingRows(changes);
    const last = merged.rows[count - 1]?.row;
    const hasMore = merged.hasMore || count < changes.length;
    const next = hasMore && last !== undefined ? { height: last.height, index: last.index } : null;
    const document = {
      api_version: 1,
      indexed_height: height,
      changes: changes.slice(0, count),
      ...cursors.next(next, height),
    } as const;
    return { height, document };
  });
};
