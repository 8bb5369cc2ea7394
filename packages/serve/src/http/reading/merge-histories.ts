/**
 * Histories of several addresses as one list, oldest first. Rows are read in pieces that shrink with the number
 * of addresses, so that a short page of many addresses does not read much more than it shows.
 */
import { type ChainReader, type HistoryPosition, type HistoryRow, PAGE_LIMITS } from 'svc-storage';

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
