/**
 * Events as they happened, numbered, kept for clients that were away. They are written in the commit that
 * made them true, so none reports something that a crash undid. Those that were added lazily are not shown here
 * until they are on the disk.
 */
import { type Database, maybe, numberOf, optionalNumber, type Row, textOf } from './database.ts';

export interface StoredEvent {
  readonly sequence: number;
  readonly event: string;
  readonly height: number;
  /** JSON. */
  readonly data: string;
}

export class Events {
  readonly #database: Database;
  /** Events from this number on are not shown. */
  #hiddenFrom = Number.POSITIVE_INFINITY;
  #newestLazy = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  add(event: string, height: number, data: object): StoredEvent {
    const json = JSON.stringify(data);
    const { id: sequence } = this.#database
      .run`INSERT INTO events(event, height, data) VALUES(${event}, ${height}, ${json})`;
    return { sequence, event, height, data: json };
  }

  /** As `add`, in a commit that other work shares. The event is hidden until it is released. */
  addLazily(event: string, height: number, data: object): StoredEvent {
    const added = this.#database.lazily(() => this.add(event, height, data));
    this.#hiddenFrom = Math.min(this.#hiddenFrom, added.sequence);
    this.#newestLazy = added.sequence;
    return added;
  }

  /** Shows the events up to a number: they are on the disk. */
  release(upTo: number): void {
    if (upTo < this.#hiddenFrom) return;
    this.#hiddenFrom = upTo < this.#newestLazy ? upTo + 1 : Number.POSITIVE_INFINITY;
  }

  after(sequence: number, limit: number): StoredEvent[] {
    const rows = this.#database.rows`SELECT * FROM events WHERE sequence > ${sequence}
      ORDER BY sequence LIMIT ${limit}`;
    return rows
      .map((row) => ({
        sequence: numberOf(row, 'sequence'),
        event: textOf(row, 'event'),
        height: numberOf(row, 'height'),
        data: textOf(row, 'data'),
      }))
      .filter((event) => event.sequence < this.#hiddenFrom);
  }

  /** The number of the newest event, 0 if there never was one. */
  last(): number {
    const row = this.#database
      .row`SELECT seq AS sequence FROM sqlite_sequence WHERE name = 'events'`;
    const newest = maybe(row, (last) => numberOf(last, 'sequence')) ?? 0;
    return Math.min(newest, this.#hiddenFrom - 1);
  }

  /** Whether every event after this number is still kept. */
  reaches(sequence: number): boolean {
    const row = this.#database.row`SELECT MIN(sequence) AS sequence FROM events` as Row;
    const oldest = optionalNumber(row, 'sequence') ?? this.last() + 1;
    return sequence + 1 >= oldest && sequence <= this.last();
  }

  /** Keeps the newest `count` events. */
  trim(count: number): void {
    this.#database.run`DELETE FROM events WHERE sequence <= ${this.last() - count}`;
  }
}
