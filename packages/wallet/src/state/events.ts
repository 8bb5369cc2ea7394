/**
 * Events as they happened, numbered, kept for clients that were away. They are written in the commit that
 * made them true, so none can be told of something that a crash undid.
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
  readonly #statements;

  constructor(database: Database) {
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

  after(sequence: number, limit: number): StoredEvent[] {
    return (this.#statements.after.all(sequence, limit) as Row[]).map((row) => ({
      sequence: numberOf(row, 'sequence'),
      event: textOf(row, 'event'),
      height: numberOf(row, 'height'),
      data: textOf(row, 'data'),
    }));
  }

  /** The number of the newest event, 0 if there never was one. */
  last(): number {
    const row = this.#statements.last.get() as Row | undefined;
    return row === undefined ? 0 : numberOf(row, 'sequence');
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
