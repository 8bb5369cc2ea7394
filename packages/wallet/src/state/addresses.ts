/**
 * The wallet's own addresses. Some are derived ahead of use, so that a payment to one that an older copy of
 * this state gave out is seen too. A branch's next position only ever grows: no address is given out twice.
 */
import {
  amountOf,
  type Database,
  Fragment,
  flagOf,
  maybe,
  numberOf,
  optionalNumber,
  optionalText,
  type Row,
  textOf,
} from './database.ts';
import { Remembered } from './remembered.ts';

export type Branch = 0 | 1;

export interface OwnAddress {
  readonly id: number;
  readonly branch: Branch;
  readonly position: number;
  readonly address: string;
  readonly label: string | null;
  readonly issuedAtMillis: number | null;
  readonly usedHeight: number | null;
  readonly isKeyRegistered: boolean;
  readonly balance: bigint;
  readonly outputCount: number;
}

/** What a transaction has to know of an address that it spends from. */
export type SpendingAddress = Pick<
  OwnAddress,
  'id' | 'branch' | 'position' | 'address' | 'isKeyRegistered'
>;

/** The name under which an address was asked for, and the label that it was asked for with. */
export interface AddressRequest {
  readonly requestId: string;
  readonly addressId: number;
  readonly label: string | null;
}

export interface AddressReference {
  readonly id: number;
  readonly address: string;
}

const IS_GIVEN = new Fragment(
  'branch = 0 AND (issued_at_millis IS NOT NULL OR used_height IS NOT NULL)',
);

export class Addresses {
  readonly #database: Database;
  /** By branch, how many addresses are derived, and the position that is given out next. */
  readonly #derived: Remembered<number, number>;
  readonly #next: Remembered<number, number>;
  /** By branch, the position of the last address that the chain knows, -1 if it knows none. */
  readonly #lastUsed: Remembered<number, number>;
  /** By id, addresses that were spent from; by position, addresses for change that come next. */
  readonly #spending: Remembered<number, SpendingAddress>;
  readonly #changeAhead: Remembered<number, string>;

  constructor(database: Database) {
    this.#database = database;
    this.#spending = new Remembered(database);
    this.#changeAhead = new Remembered(database);
    this.#derived = new Remembered(database);
    this.#next = new Remembered(database);
    this.#lastUsed = new Remembered(database);
  }

  /** How many addresses of a branch are derived; their positions start at 0 and have no gaps. */
  derived(branch: Branch): number {
    return this.#derived.get(branch, () => {
      const row = this.#database
        .row`SELECT COALESCE(MAX(position), -1) + 1 AS count FROM addresses WHERE branch = ${branch}`;
      return numberOf(row as Row, 'count');
    });
  }

  count(): number {
    return numberOf(this.#database.row`SELECT COUNT(*) AS count FROM addresses` as Row, 'count');
  }

  /** The position that is given out next. */
  next(branch: Branch): number {
    return this.#next.get(branch, () => {
      const row = this.#database.row`SELECT next_position FROM branches WHERE branch = ${branch}`;
      return numberOf(row as Row, 'next_position');
    });
  }

  /** How many addresses were given out after the last one that the chain knows. */
  unpaid(branch: Branch): number {
    const last = this.#lastUsed.get(branch, () => {
      const row = this.#database.row`SELECT position FROM addresses
        WHERE branch = ${branch} AND used_height IS NOT NULL ORDER BY position DESC LIMIT 1`;
      return maybe(row, (used) => numberOf(used, 'position')) ?? -1;
    });
    return this.next(branch) - 1 - last;
  }

  /** Adds the next address of a branch; `isScanned` says that its past is known to be empty or read. */
  add(branch: Branch, position: number, address: string, isScanned: boolean): number {
    this.#derived.forget(branch);
    const { id } = this.#database.run`INSERT INTO addresses(branch, position, address, scanned)
      VALUES(${branch}, ${position}, ${address}, ${isScanned})`;
    if (branch === 1) {
      this.#changeAhead.set(position, address);
      this.#spending.set(id, { id, branch, position, address, isKeyRegistered: false });
    }
    return id;
  }

  /** Gives out the next address of a branch, which must be derived, under the name that a caller gave the request. */
  issue(branch: Branch, label: string | null, nowMillis: number, requestId?: string): OwnAddress {
    return this.#database.transaction(() => {
      const position = this.next(branch);
      const row = this.#database
        .row`UPDATE addresses SET issued_at_millis = ${nowMillis}, label = ${label}
        WHERE branch = ${branch} AND position = ${position} RETURNING *`;
      if (row === undefined) throw new RangeError(`position ${position} is not derived`);
      this.#raise(branch, position + 1);
      const own = addressOf(row);
      if (requestId !== undefined)
        this.#database.run`INSERT INTO address_requests VALUES(${requestId}, ${own.id}, ${label})`;
      return own;
    });
  }

  /** Gives out the next addresses for change, which must be derived. */
  issueChange(count: number, nowMillis: number): void {
    if (count === 0) return;
    this.#database.transaction(() => {
      const position = this.next(1);
      for (let at = position; at < position + count; at++) {
        // Without RETURNING, for which SQLite makes a table each time.
        const { changes } = this.#database.run`UPDATE addresses SET issued_at_millis = ${nowMillis}
          WHERE branch = 1 AND position = ${at}`;
        if (changes !== 1) throw new RangeError(`position ${at} is not derived`);
        this.#changeAhead.forget(at);
      }
      this.#raise(1, position + count);
    });
  }

  /** The address for change at a position, which must be derived. */
  changeAt(position: number): string {
    return this.#changeAhead.get(position, () => (this.at(1, position) as OwnAddress).address);
  }

  findRequest(requestId: string): AddressRequest | undefined {
    return maybe(
      this.#database.row`SELECT * FROM address_requests WHERE request_id = ${requestId}`,
      requestOf,
    );
  }

  /** The request that an address was given out for, if it had a name. */
  requestFor(addressId: number): AddressRequest | undefined {
    return maybe(
      this.#database.row`SELECT * FROM address_requests WHERE address_id = ${addressId}`,
      requestOf,
    );
  }

  /** Marks an address as used at a height, so that it is not given out any more. */
  markUsed(id: number, height: number): void {
    const row = this.#database
      .row`UPDATE addresses SET used_height = MIN(COALESCE(used_height, ${height}), ${height})
      WHERE id = ${id} RETURNING branch, position`;
    if (row === undefined) return;
    const branch = numberOf(row, 'branch') as Branch;
    this.#lastUsed.forget(branch);
    this.#raise(branch, numberOf(row, 'position') + 1);
  }

  #raise(branch: Branch, position: number): void {
    const next = Math.max(this.next(branch), position);
    this.#next.forget(branch);
    this.#database.run`UPDATE branches SET next_position = MAX(next_position, ${position})
      WHERE branch = ${branch}`;
    this.#next.set(branch, next);
  }

  find(address: string): OwnAddress | undefined {
    return maybe(this.#database.row`SELECT * FROM addresses WHERE address = ${address}`, addressOf);
  }

  get(id: number): OwnAddress {
    return addressOf(this.#database.row`SELECT * FROM addresses WHERE id = ${id}` as Row);
  }

  /** The part of an address that never changes, and whether its key is registered; it is kept in memory. */
  spending(id: number): SpendingAddress {
    return this.#spending.get(id, () => {
      const { address, branch, isKeyRegistered, position } = this.get(id);
      return { id, branch, position, address, isKeyRegistered };
    });
  }

  at(branch: Branch, position: number): OwnAddress | undefined {
    const row = this.#database
      .row`SELECT * FROM addresses WHERE branch = ${branch} AND position = ${position}`;
    return maybe(row, addressOf);
  }

  /** Derived addresses of a branch, from one position to before another. */
  texts(branch: Branch, from: number, to: number): string[] {
    return this.#database.rows`SELECT address FROM addresses
      WHERE branch = ${branch} AND position >= ${from} AND position < ${to}
      ORDER BY position`.map((row) => textOf(row, 'address'));
  }

  /** Addresses that were given out or used, of the receiving branch, in the order they were made. */
  listGiven(afterId: number, limit: number): OwnAddress[] {
    return this.#database.rows`SELECT * FROM addresses WHERE ${IS_GIVEN} AND id > ${afterId}
      ORDER BY id LIMIT ${limit}`.map(addressOf);
  }

  listLabelled(label: string, afterId: number, limit: number): OwnAddress[] {
    return this.#database.rows`SELECT * FROM addresses
      WHERE label = ${label} AND branch = 0 AND id > ${afterId} ORDER BY id LIMIT ${limit}`.map(
      addressOf,
    );
  }

  setLabel(id: number, label: string | null): void {
    this.#database.run`UPDATE addresses SET label = ${label} WHERE id = ${id}`;
  }

  setKeyRegistered(id: number): void {
    this.#spending.forget(id);
    this.#database.run`UPDATE addresses SET key_registered = 1 WHERE id = ${id}`;
  }

  setOwner(id: number): void {
    this.#database.run`UPDATE addresses SET owns_positions = 1 WHERE id = ${id}`;
  }

  owners(): AddressReference[] {
    return this.#database.rows`SELECT id, address FROM addresses
      WHERE owns_positions = 1 ORDER BY id`.map(referenceOf);
  }

  references(afterId: number, limit: number): AddressReference[] {
    return this.#database.rows`SELECT id, address FROM addresses WHERE id > ${afterId}
      ORDER BY id LIMIT ${limit}`.map(referenceOf);
  }

  /**
   * Reads many addresses at once, in the order of their ids. Ids have no gaps, so that the first id gives all of
   * them.
   */
  listTexts(afterId: number, limit: number): { firstId: number; texts: string[] } {
    const row = this.#database.row`SELECT group_concat(address, ' ') AS list
      FROM (SELECT address FROM addresses WHERE id > ${afterId} ORDER BY id LIMIT ${limit})`;
    const list = optionalText(row as Row, 'list');
    return { firstId: afterId + 1, texts: list === null ? [] : list.split(' ') };
  }

  /** Ids have no gaps. */
  lastId(): number {
    return this.derived(0) + this.derived(1);
  }

  unscanned(limit: number): AddressReference[] {
    return this.#database.rows`SELECT id, address FROM addresses WHERE scanned = 0
      ORDER BY id LIMIT ${limit}`.map(referenceOf);
  }

  unscannedCount(): number {
    const row = this.#database.row`SELECT COUNT(*) AS count FROM addresses WHERE scanned = 0`;
    return numberOf(row as Row, 'count');
  }

  setScanned(id: number): void {
    this.#database.run`UPDATE addresses SET scanned = 1 WHERE id = ${id}`;
  }

  /** Marks every address as one whose past is to be read again. */
  forgetScans(): void {
    this.#database.run`UPDATE addresses SET scanned = 0`;
  }

  /** Addresses that hold more than this many outputs, the fullest first; those for change only if they are asked for. */
  crowded(outputs: number, hasChange: boolean, limit: number): AddressReference[] {
    return this.#database.rows`SELECT id, address FROM addresses
      WHERE output_count > 1 AND output_count > ${outputs} AND branch <= ${hasChange}
      ORDER BY output_count DESC LIMIT ${limit}`.map(referenceOf);
  }
}

function addressOf(row: Row): OwnAddress {
  return {
    id: numberOf(row, 'id'),
    branch: numberOf(row, 'branch') as Branch,
    position: numberOf(row, 'position'),
    address: textOf(row, 'address'),
    label: optionalText(row, 'label'),
    issuedAtMillis: optionalNumber(row, 'issued_at_millis'),
    usedHeight: optionalNumber(row, 'used_height'),
    isKeyRegistered: flagOf(row, 'key_registered'),
    balance: amountOf(row, 'balance'),
    outputCount: numberOf(row, 'output_count'),
  };
}

function requestOf(row: Row): AddressRequest {
  return {
    requestId: textOf(row, 'request_id'),
    addressId: numberOf(row, 'address_id'),
    label: optionalText(row, 'label'),
  };
}

function referenceOf(row: Row): AddressReference {
  return { id: numberOf(row, 'id'), address: textOf(row, 'address') };
}
