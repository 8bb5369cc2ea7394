/**
 * Events as they happened, numbered, kept for clients that were away. They are written in the commit that
 * made them true, so none can be told of something that a crash undid. Those that were added lazily are not shown here
 * until somebody says that they are on the disk.
 */
import { type Database, numberOf, type Row, textOf } from './database.ts';

export interface StoredEvent {
  readonly sequence: number;
  readonly event: string;
  readonly height: number;
  /** JSON. */
  readonly data: string;
}

export class Events {
  readonly #database: Database;
  readonly #statements;
  /** Events from this number on are not shown. */
  #hiddenFrom = Number.POSITIVE_INFINITY;
  #newestLazy = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#statements = {
      add: database.prepare('INSERT INTO events(event, height, data) VALUES(?, ?, ?)'),
      after: database.prepare('SELECT * FROM events WHERE sequence > ? ORDER BY sequence LIMIT ?'),
      first: database.prepare('SELECT MIN(sequence) AS sequence FROM events'),
      last: database.prepare("SELECT seq AS sequence FROM sqlite_sequence WHERE name = 'events'"),
      trim: database.prepare('DELETE FROM events WHERE sequence <= ?'),
    };
  }

  add(event: string, height: number, data: object): StoredEvent {
    const json = JSON.stringify(data);
    const sequence = Number(this.#statements.add.run(event, height, json).lastInsertRowid);
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
    return (this.#statements.after.all(sequence, limit) as Row[])
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
    const row = this.#statements.last.get() as Row | undefined;
    const newest = row === undefined ? 0 : numberOf(row, 'sequence');
    return Math.min(newest, this.#hiddenFrom - 1);
  }

  /** Whether every event after this number is still kept. */
  reaches(sequence: number): boolean {
    const first = (this.#statements.first.get() as Row)['sequence'];
    const oldest = first === null ? this.last() + 1 : Number(first);
    return sequence + 1 >= oldest && sequence <= this.last();
  }

  /** Keeps the newest `count` events. */
  trim(count: number): void {
    this.#statements.trim.run(this.last() - count);
  }
}
