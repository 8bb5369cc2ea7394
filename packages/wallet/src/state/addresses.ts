/**
 * The wallet's own addresses. Some are derived ahead of use, so that a payment to one that an older copy of
 * this state gave out is seen too. A branch's next position only ever grows: no address is given out twice.
 */
import {
  amountOf,
  type Database,
  flagOf,
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

const COLUMNS = `id, branch, position, address, label, issued_at_millis, used_height, key_registered,
  balance, output_count`;
const IS_GIVEN = 'branch = 0 AND (issued_at_millis IS NOT NULL OR used_height IS NOT NULL)';

export class Addresses {
  readonly #database: Database;
  readonly #statements;
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
    this.#statements = prepareAll(database);
  }

  /** How many addresses of a branch are derived; their positions start at 0 and have no gaps. */
  derived(branch: Branch): number {
    const { derived } = this.#statements;
    return this.#derived.get(branch, () => numberOf(derived.get(branch) as Row, 'count'));
  }

  count(): number {
    return numberOf(this.#statements.count.get() as Row, 'count');
  }

  /** The position that is given out next. */
  next(branch: Branch): number {
    const { next } = this.#statements;
    return this.#next.get(branch, () => numberOf(next.get(branch) as Row, 'next_position'));
  }

  /** How many addresses were given out after the last one that the chain knows. */
  unpaid(branch: Branch): number {
    const { lastUsed } = this.#statements;
    const last = this.#lastUsed.get(branch, () => {
      const row = lastUsed.get(branch) as Row | undefined;
      return row === undefined ? -1 : numberOf(row, 'position');
    });
    return this.next(branch) - 1 - last;
  }

  /** Adds the next address of a branch; `isScanned` says that its past is known to be empty or read. */
  add(branch: Branch, position: number, address: string, isScanned: boolean): number {
    this.#derived.forget(branch);
    const { lastInsertRowid } = this.#statements.add.run(
      branch,
      position,
      address,
      isScanned ? 1 : 0,
    );
    const id = Number(lastInsertRowid);
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
      const row = this.#statements.issue.get(nowMillis, label, branch, position) as Row | undefined;
      if (row === undefined) throw new RangeError(`position ${position} is not derived`);
      this.#raise(branch, position + 1);
      const own = addressOf(row);
      if (requestId !== undefined) this.#statements.addRequest.run(requestId, own.id, label);
      return own;
    });
  }

  /** Gives out the next addresses for change, which must be derived. */
  issueChange(count: number, nowMillis: number): void {
    if (count === 0) return;
    this.#database.transaction(() => {
      const position = this.next(1);
      for (let at = position; at < position + count; at++) {
        const { changes } = this.#statements.issueChange.run(nowMillis, at);
        if (Number(changes) !== 1) throw new RangeError(`position ${at} is not derived`);
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
    const row = this.#statements.findRequest.get(requestId) as Row | undefined;
    return row === undefined ? undefined : requestOf(row);
  }

  /** The request that an address was given out for, if it had a name. */
  requestFor(addressId: number): AddressRequest | undefined {
    const row = this.#statements.requestFor.get(addressId) as Row | undefined;
    return row === undefined ? undefined : requestOf(row);
  }

  /** Marks an address as used at a height, so that it is not given out any more. */
  markUsed(id: number, height: number): void {
    const row = this.#statements.use.get(height, id) as Row | undefined;
    if (row === undefined) return;
    const branch = numberOf(row, 'branch') as Branch;
    this.#lastUsed.forget(branch);
    this.#raise(branch, numberOf(row, 'position') + 1);
  }

  #raise(branch: Branch, position: number): void {
    const next = Math.max(this.next(branch), position);
    this.#next.forget(branch);
    this.#statements.raise.run(position, branch);
    this.#next.set(branch, next);
  }

  find(address: string): OwnAddress | undefined {
    const row = this.#statements.find.get(address) as Row | undefined;
    return row === undefined ? undefined : addressOf(row);
  }

  get(id: number): OwnAddress {
    return addressOf(this.#statements.get.get(id) as Row);
  }

  /** The part of an address that never changes, and whether its key is registered; it is kept in memory. */
  spending(id: number): SpendingAddress {
    return this.#spending.get(id, () => {
      const { address, branch, isKeyRegistered, position } = this.get(id);
      return { id, branch, position, address, isKeyRegistered };
    });
  }

  at(branch: Branch, position: number): OwnAddress | undefined {
    const row = this.#statements.at.get(branch, position) as Row | undefined;
    return row === undefined ? undefined : addressOf(row);
  }

  /** Derived addresses of a branch, from one position to before another. */
  texts(branch: Branch, from: number, to: number): string[] {
    const rows = this.#statements.texts.all(branch, from, to) as Row[];
    return rows.map((row) => textOf(row, 'address'));
  }

  /** Addresses that were given out or used, of the receiving branch, in the order they were made. */
  listGiven(afterId: number, limit: number): OwnAddress[] {
    return (this.#statements.listGiven.all(afterId, limit) as Row[]).map(addressOf);
  }

  listLabelled(label: string, afterId: number, limit: number): OwnAddress[] {
    return (this.#statements.listLabelled.all(label, afterId, limit) as Row[]).map(addressOf);
  }

  setLabel(id: number, label: string | null): void {
    this.#statements.setLabel.run(label, id);
  }

  setKeyRegistered(id: number): void {
    this.#spending.forget(id);
    this.#statements.setKeyRegistered.run(id);
  }

  setOwner(id: number): void {
    this.#statements.setOwner.run(id);
  }

  owners(): AddressReference[] {
    return (this.#statements.owners.all() as Row[]).map(referenceOf);
  }

  references(afterId: number, limit: number): AddressReference[] {
    return (this.#statements.references.all(afterId, limit) as Row[]).map(referenceOf);
  }

  /**
   * Reads many addresses at once, in the order of their ids. Ids have no gaps, so that the first id tells all of
   * them.
   */
  listTexts(afterId: number, limit: number): { firstId: number; texts: string[] } {
    const row = this.#statements.listTexts.get(afterId, limit) as Row;
    const list = optionalText(row, 'list');
    return { firstId: afterId + 1, texts: list === null ? [] : list.split(' ') };
  }

  /** Ids have no gaps. */
  lastId(): number {
    return this.derived(0) + this.derived(1);
  }

  unscanned(limit: number): AddressReference[] {
    return (this.#statements.unscanned.all(limit) as Row[]).map(referenceOf);
  }

  unscannedCount(): number {
    return numberOf(this.#statements.unscannedCount.get() as Row, 'count');
  }

  setScanned(id: number): void {
    this.#statements.setScanned.run(id);
  }

  /** Marks every address as one whose past is to be read again. */
  forgetScans(): void {
    this.#database.execute('UPDATE addresses SET scanned = 0');
  }

  /** Addresses that hold more than this many outputs, the fullest first; those for change only if they are asked for. */
  crowded(outputs: number, hasChange: boolean, limit: number): AddressReference[] {
    const rows = this.#statements.crowded.all(outputs, hasChange ? 1 : 0, limit) as Row[];
    return rows.map(referenceOf);
  }
}

function prepareAll(database: Database) {
  return {
    derived: database.prepare(
      'SELECT COALESCE(MAX(position), -1) + 1 AS count FROM addresses WHERE branch = ?',
    ),
    count: database.prepare('SELECT COUNT(*) AS count FROM addresses'),
    next: database.prepare('SELECT next_position FROM branches WHERE branch = ?'),
    add: database.prepare(
      'INSERT INTO addresses(branch, position, address, scanned) VALUES(?, ?, ?, ?)',
    ),
    issue: database.prepare(
      `UPDATE addresses SET issued_at_millis = ?, label = ? WHERE branch = ? AND position = ?
       RETURNING ${COLUMNS}`,
    ),
    // Without RETURNING, for which SQLite makes a table each time.
    issueChange: database.prepare(
      'UPDATE addresses SET issued_at_millis = ? WHERE branch = 1 AND position = ?',
    ),
    raise: database.prepare(
      'UPDATE branches SET next_position = MAX(next_position, ?) WHERE branch = ?',
    ),
    lastUsed: database.prepare(
      `SELECT position FROM addresses WHERE branch = ? AND used_height IS NOT NULL
       ORDER BY position DESC LIMIT 1`,
    ),
    addRequest: database.prepare('INSERT INTO address_requests VALUES(?, ?, ?)'),
    findRequest: database.prepare('SELECT * FROM address_requests WHERE request_id = ?'),
    requestFor: database.prepare('SELECT * FROM address_requests WHERE address_id = ?'),
    use: database.prepare(
      `UPDATE addresses SET used_height = MIN(COALESCE(used_height, ?1), ?1) WHERE id = ?2
       RETURNING branch, position`,
    ),
    find: database.prepare(`SELECT ${COLUMNS} FROM addresses WHERE address = ?`),
    get: database.prepare(`SELECT ${COLUMNS} FROM addresses WHERE id = ?`),
    at: database.prepare(`SELECT ${COLUMNS} FROM addresses WHERE branch = ? AND position = ?`),
    texts: database.prepare(
      `SELECT address FROM addresses WHERE branch = ? AND position >= ? AND position < ?
       ORDER BY position`,
    ),
    listGiven: database.prepare(
      `SELECT ${COLUMNS} FROM addresses WHERE ${IS_GIVEN} AND id > ? ORDER BY id LIMIT ?`,
    ),
    listLabelled: database.prepare(
      `SELECT ${COLUMNS} FROM addresses WHERE label = ? AND branch = 0 AND id > ? ORDER BY id LIMIT ?`,
    ),
    setLabel: database.prepare('UPDATE addresses SET label = ? WHERE id = ?'),
    setKeyRegistered: database.prepare('UPDATE addresses SET key_registered = 1 WHERE id = ?'),
    setOwner: database.prepare('UPDATE addresses SET owns_positions = 1 WHERE id = ?'),
    owners: database.prepare(
      'SELECT id, address FROM addresses WHERE owns_positions = 1 ORDER BY id',
    ),
    references: database.prepare(
      'SELECT id, address FROM addresses WHERE id > ? ORDER BY id LIMIT ?',
    ),
    listTexts: database.prepare(
      `SELECT group_concat(address, ' ') AS list
       FROM (SELECT address FROM addresses WHERE id > ? ORDER BY id LIMIT ?)`,
    ),
    unscanned: database.prepare(
      'SELECT id, address FROM addresses WHERE scanned = 0 ORDER BY id LIMIT ?',
    ),
    unscannedCount: database.prepare('SELECT COUNT(*) AS count FROM addresses WHERE scanned = 0'),
    setScanned: database.prepare('UPDATE addresses SET scanned = 1 WHERE id = ?'),
    crowded: database.prepare(
      `SELECT id, address FROM addresses WHERE output_count > 1 AND output_count > ? AND branch <= ?
       ORDER BY output_count DESC LIMIT ?`,
    ),
  };
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
