/**
 * Finalized outputs of the wallet's addresses: which there are, which are spent, and which are reserved by a
 * transaction that is not final yet. Triggers keep the totals within the same commit.
 */
import type { SendersUnknown } from 'svc-client';
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

/** The height of an output whose arrival is not proven yet; no event reports such an output. */
export const HEIGHT_UNKNOWN = 0;

/** The height that an output is told of at while nobody knows yet when that will be. */
export const TOLD_LATER = Number.MAX_SAFE_INTEGER;

export interface NewOutput {
  readonly transactionId: string;
  readonly outputIndex: number;
  readonly addressId: number;
  readonly amount: bigint;
  readonly source: string;
  readonly height: number;
  readonly payloadText: string | null;
  readonly payloadHex: string | null;
  /** Who sent it, or why nobody is named. */
  readonly senders: readonly string[] | SendersUnknown;
  readonly isMessenger: boolean;
  /** It came back to a fixed address of the wallet from a payment of the wallet. */
  readonly isChange?: boolean;
}

export interface WalletOutput extends NewOutput {
  readonly id: number;
  readonly address: string;
  readonly label: string | null;
  readonly branch: number;
  readonly spentHeight: number | null;
  readonly spentBy: string | null;
  readonly reservedBy: number | null;
}

/** A payment among those that are told of one after the other. */
export interface ToldOutput extends WalletOutput {
  /** Its own height, or a later one where it was found later. */
  readonly toldHeight: number;
}

/** What coin selection needs to know. */
export interface Coin {
  readonly id: number;
  readonly transactionId: string;
  readonly outputIndex: number;
  readonly addressId: number;
  readonly amount: bigint;
}

export interface Totals {
  readonly balance: bigint;
  readonly outputCount: number;
  readonly reserved: bigint;
  readonly reservedCount: number;
}

// A plus keeps the planner from starting with all addresses of a branch.
const IS_GIVEN_OUT = '+addresses.branch = 0 AND outputs.is_change = 0';
const JOINED = `outputs.*, addresses.address, addresses.label, addresses.branch FROM outputs
  JOIN addresses ON addresses.id = outputs.address_id`;
const COIN = 'id, transaction_id, output_index, address_id, amount FROM outputs';
const FREE = 'spent_height IS NULL AND reserved_by IS NULL';

export class Outputs {
  readonly #statements;
  readonly #reservations;
  readonly #float;
  readonly #undo;
  readonly #told;

  constructor(database: Database) {
    this.#statements = prepareAll(database);
    this.#told = prepareTold(database);
    this.#reservations = prepareReservations(database);
    this.#float = prepareFloat(database);
    this.#undo = prepareUndo(database);
  }

  totals(): Totals {
    const row = this.#statements.totals.get() as Row;
    return {
      balance: amountOf(row, 'balance'),
      outputCount: numberOf(row, 'output_count'),
      reserved: amountOf(row, 'reserved'),
      reservedCount: numberOf(row, 'reserved_count'),
    };
  }

  /**
   * Adds an output, or records that this reading has seen it too. One that was met when it was spent has been proven only
   * now: until then its amount, owner and source were the word of a node. Returns whether it is new, or was met so.
   */
  receive(output: NewOutput, generation: number): boolean {
    const { insert, learn, see } = this.#statements;
    if (Number(insert.run(...insertValues(output, generation)).changes) === 1) return true;
    const { changes } = learn.run(...learntValues(output));
    see.run(generation, output.height, output.transactionId, output.outputIndex);
    return Number(changes) === 1;
  }

  /**
   * Adds an output that an address is proven to hold, or records that this reading has seen it too. When it came and with
   * what is not proven yet, so that it is known as one that was met when it was spent.
   */
  hold(output: Omit<Coin, 'id'> & Pick<NewOutput, 'source'>, generation: number): void {
    const known = this.find(output.transactionId, output.outputIndex);
    const unknown = {
      payloadText: null,
      payloadHex: null,
      senders: 'not_kept',
      isMessenger: false,
    } as const;
    this.receive({ ...unknown, ...output, height: known?.height ?? HEIGHT_UNKNOWN }, generation);
  }

  /** Marks an output as spent. Returns whether the output is known. */
  spend(transactionId: string, outputIndex: number, height: number, spentBy: string): boolean {
    const { changes } = this.#statements.spend.run(height, spentBy, transactionId, outputIndex);
    return Number(changes) === 1;
  }

  find(transactionId: string, outputIndex: number): WalletOutput | undefined {
    const row = this.#statements.find.get(transactionId, outputIndex) as Row | undefined;
    return row === undefined ? undefined : outputOf(row);
  }

  has({ outputIndex, transactionId }: Pick<Coin, 'transactionId' | 'outputIndex'>): boolean {
    return this.find(transactionId, outputIndex) !== undefined;
  }

  ofTransaction(transactionId: string): WalletOutput[] {
    return (this.#statements.ofTransaction.all(transactionId) as Row[]).map(outputOf);
  }

  spentBy(transactionId: string): WalletOutput[] {
    return (this.#statements.spentBy.all(transactionId) as Row[]).map(outputOf);
  }

  /** Deletes unspent outputs of an address that it is not proven to hold in this reading. */
  forgetUnheld(addressId: number, generation: number): void {
    this.#statements.forgetUnheld.run(addressId, generation);
  }

  /**
   * Undoes what happened above a height, because the history that it happened in is given up: outputs that came are
   * forgotten, outputs that went are there again, reserved by the transaction of this wallet that had spent them. What is
   * forgotten while it is reserved leaves its outpoint, so that it is reserved again when it comes again.
   */
  undoAbove(height: number): void {
    this.#undo.giveBack.run(height);
    this.#undo.forget.run(height);
  }

  largest(limit: number): Coin[] {
    return (this.#statements.largest.all(limit) as Row[]).map(coinOf);
  }

  smallest(limit: number): Coin[] {
    return (this.#statements.smallest.all(limit) as Row[]).map(coinOf);
  }

  /** How many free coins have at least this amount; counting ends at the limit. */
  countFree(amount: bigint, limit: number): number {
    return numberOf(this.#float.countFree.get(amount, limit) as Row, 'count');
  }

  /** Free coins of at least this amount, the smallest first. */
  freeAtLeast(amount: bigint, limit: number): Coin[] {
    return (this.#float.freeAtLeast.all(amount, limit) as Row[]).map(coinOf);
  }

  /**
   * Free coins beyond a float, which are payments to addresses that were given out and change of at least its amount. The
   * smallest coins of at least that amount are the float's.
   */
  freeBeyond(amount: bigint, count: number, limit: number): Coin[] {
    return (this.#float.freeBeyond.all(amount, amount, count, limit) as Row[]).map(coinOf);
  }

  freeOf(addressId: number, limit: number): Coin[] {
    return (this.#statements.freeOf.all(addressId, limit) as Row[]).map(coinOf);
  }

  /** Free payments to addresses that were given out; no change. */
  freePayments(limit: number): Coin[] {
    return (this.#statements.freePayments.all(limit) as Row[]).map(coinOf);
  }

  isFree(id: number): boolean {
    return this.#statements.isFree.get(id) !== undefined;
  }

  /** Whether the address has spent before: then its key may be in the registry. */
  hasSpent(addressId: number): boolean {
    return this.#statements.hasSpent.get(addressId) !== undefined;
  }

  reserve(ids: readonly number[], transaction: number): void {
    for (const id of ids) {
      if (Number(this.#reservations.hold.run(transaction, id).changes) === 1) continue;
      throw new Error(`output ${id} is not free`);
    }
  }

  reservedBy(transaction: number): WalletOutput[] {
    return (this.#reservations.outputs.all(transaction) as Row[]).map(outputOf);
  }

  /** Takes back that an output was spent up to a height: it was proven unspent after the cut of that height. */
  undoSpend(id: number, upToHeight: number): void {
    this.#undo.spend.run(id, upToHeight);
  }

  /** Lets go what a transaction has reserved; another open one whose input it is has it reserved from then on. */
  release(transaction: number): void {
    this.#reservations.release.run(transaction);
  }

  /** Reserves for a transaction what another one had reserved. */
  passOn(from: number, to: number): void {
    this.#reservations.passOn.run(to, from);
  }

  listUnspent(afterId: number, limit: number): WalletOutput[] {
    return (this.#statements.listUnspent.all(afterId, limit) as Row[]).map(outputOf);
  }

  listUnspentOf(addressId: number, afterId: number, limit: number): WalletOutput[] {
    return (this.#statements.listUnspentOf.all(addressId, afterId, limit) as Row[]).map(outputOf);
  }

  /** The outputs that an address had after the cut of a height which the wallet has read. */
  unspentAt(addressId: number, height: number): WalletOutput[] {
    const rows = this.#statements.unspentAt.all(addressId, height, height) as Row[];
    return rows.map(outputOf);
  }

  /** Whether a transaction of a cut has spent an output of the wallet. */
  isSpentBy(transactionId: string, height: number): boolean {
    return this.#statements.isSpentBy.get(height, transactionId) !== undefined;
  }

  /** Marks what a transaction has brought back as change. */
  markChange(transactionId: string): void {
    this.#statements.markChange.run(transactionId);
  }

  /** Has an output told of at a height above its own, because it was found when all below had been told. */
  tellAt(transactionId: string, outputIndex: number, height: number): void {
    this.#told.tellAt.run(height, transactionId, outputIndex);
  }

  /** Has what waits to be told of told at a height. */
  tellWaiting(height: number): void {
    this.#told.tellWaiting.run(height, TOLD_LATER);
  }

  /** Payments to addresses that were given out, by the height that they are told of at; outputs for change are not among them. */
  receivedAfter(height: number, upTo: number, limit: number): ToldOutput[] {
    return (this.#told.after.all(height, upTo, limit) as Row[]).map(toldOf);
  }

  /** The same, above a height or at it with a larger id, up to a height, oldest first. */
  receivedBehind(height: number, id: number, upTo: number, limit: number): ToldOutput[] {
    return (this.#told.behind.all(height, id, upTo, limit) as Row[]).map(toldOf);
  }

  /** Payments to addresses that were given out, below a height or at it with a smaller id, newest first. */
  receivedBefore(height: number, id: number, limit: number): WalletOutput[] {
    return (this.#statements.receivedBefore.all(height, id, limit) as Row[]).map(outputOf);
  }
}

function insertValues(output: NewOutput, generation: number) {
  return [output.transactionId, output.outputIndex, ...factsOf(output), generation] as const;
}

function learntValues(output: NewOutput) {
  return [...factsOf(output), output.transactionId, output.outputIndex] as const;
}

/** What is known of an output, in the order of its columns. */
function factsOf(output: NewOutput) {
  return [
    output.addressId,
    output.amount,
    output.source,
    output.height,
    output.payloadText,
    output.payloadHex,
    JSON.stringify(output.senders),
    output.isMessenger ? 1 : 0,
    output.isChange === true ? 1 : 0,
  ] as const;
}

function prepareAll(database: Database) {
  return {
    totals: database.prepare('SELECT * FROM totals'),
    insert: database.prepare(
      `INSERT INTO outputs(transaction_id, output_index, address_id, amount, source, height,
         payload_text, payload_hex, senders, messenger, is_change, generation)
       VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ),
    see: database.prepare(
      'UPDATE outputs SET generation = ?, height = ? WHERE transaction_id = ? AND output_index = ?',
    ),
    // Totals are of what is unspent: of that, owner and amount never change.
    learn: database.prepare(
      `UPDATE outputs SET address_id = ?1, amount = ?2, source = ?3, height = ?4, payload_text = ?5,
         payload_hex = ?6, senders = ?7, messenger = ?8, is_change = MAX(is_change, ?9)
       WHERE transaction_id = ?10 AND output_index = ?11 AND height = ${HEIGHT_UNKNOWN}
         AND (spent_height IS NOT NULL OR (address_id = ?1 AND amount = ?2))`,
    ),
    spend: database.prepare(
      `UPDATE outputs SET spent_height = ?, spent_by = ?
       WHERE transaction_id = ? AND output_index = ?`,
    ),
    find: database.prepare(
      `SELECT ${JOINED} WHERE outputs.transaction_id = ? AND outputs.output_index = ?`,
    ),
    ofTransaction: database.prepare(
      `SELECT ${JOINED} WHERE outputs.transaction_id = ? ORDER BY outputs.output_index`,
    ),
    spentBy: database.prepare(`SELECT ${JOINED} WHERE outputs.spent_by = ? ORDER BY outputs.id`),
    forgetUnheld: database.prepare(
      'DELETE FROM outputs WHERE address_id = ? AND generation < ? AND spent_height IS NULL',
    ),
    largest: database.prepare(`SELECT ${COIN} WHERE ${FREE} ORDER BY amount DESC LIMIT ?`),
    smallest: database.prepare(`SELECT ${COIN} WHERE ${FREE} ORDER BY amount LIMIT ?`),
    freeOf: database.prepare(
      `SELECT ${COIN} WHERE ${FREE} AND address_id = ? ORDER BY amount LIMIT ?`,
    ),
    freePayments: database.prepare(
      `SELECT outputs.id, transaction_id, output_index, address_id, amount FROM outputs
       JOIN addresses ON addresses.id = outputs.address_id
       WHERE ${FREE} AND ${IS_GIVEN_OUT} ORDER BY amount LIMIT ?`,
    ),
    isFree: database.prepare(`SELECT 1 FROM outputs WHERE id = ? AND ${FREE}`),
    hasSpent: database.prepare(
      'SELECT 1 FROM outputs WHERE address_id = ? AND spent_height IS NOT NULL LIMIT 1',
    ),
    isSpentBy: database.prepare(
      'SELECT 1 FROM outputs WHERE spent_height = ? AND spent_by = ? LIMIT 1',
    ),
    markChange: database.prepare('UPDATE outputs SET is_change = 1 WHERE transaction_id = ?'),
    listUnspent: database.prepare(
      `SELECT ${JOINED} WHERE outputs.id > ? AND outputs.spent_height IS NULL
       ORDER BY outputs.id LIMIT ?`,
    ),
    listUnspentOf: database.prepare(
      `SELECT ${JOINED} WHERE outputs.address_id = ? AND outputs.id > ?
       AND outputs.spent_height IS NULL ORDER BY outputs.id LIMIT ?`,
    ),
    unspentAt: database.prepare(
      `SELECT ${JOINED} WHERE outputs.address_id = ? AND outputs.height <= ?
       AND (outputs.spent_height IS NULL OR outputs.spent_height > ?)`,
    ),
    receivedBefore: database.prepare(
      `SELECT ${JOINED} WHERE (outputs.height, outputs.id) < (?, ?) AND ${IS_GIVEN_OUT}
       ORDER BY outputs.height DESC, outputs.id DESC LIMIT ?`,
    ),
  };
}

/** Statements about payments in the order in which they are told of. */
function prepareTold(database: Database) {
  const told = (isIn: (height: string) => string): string => {
    const ofHeight = (height: string, others: string): string =>
      `SELECT ${height} AS told, outputs.id AS told_id, ${JOINED} WHERE ${isIn(height)} AND ${others} AND ${IS_GIVEN_OUT}`;
    return `${ofHeight('outputs.height', 'outputs.told_height IS NULL')}
      UNION ALL ${ofHeight('outputs.told_height', 'outputs.told_height IS NOT NULL')}
      ORDER BY told, told_id LIMIT ?`;
  };
  return {
    tellAt: database.prepare(
      'UPDATE outputs SET told_height = ? WHERE transaction_id = ? AND output_index = ?',
    ),
    tellWaiting: database.prepare('UPDATE outputs SET told_height = ? WHERE told_height = ?'),
    after: database.prepare(told((height) => `${height} > ?1 AND ${height} <= ?2`)),
    behind: database.prepare(
      told((height) => `(${height}, outputs.id) > (?1, ?2) AND ${height} <= ?3`),
    ),
  };
}

/** Statements about outputs that transactions have reserved. */
function prepareReservations(database: Database) {
  return {
    hold: database.prepare(`UPDATE outputs SET reserved_by = ? WHERE id = ? AND ${FREE}`),
    outputs: database.prepare(`SELECT ${JOINED} WHERE outputs.reserved_by = ?`),
    release: database.prepare(
      `UPDATE outputs SET reserved_by =
         (SELECT MIN(spender) FROM kept_inputs JOIN transactions ON transactions.id = spender
          WHERE kept_inputs.transaction_id = outputs.transaction_id
            AND kept_inputs.output_index = outputs.output_index
            AND spender <> ?1 AND transactions.state <> 'final')
       WHERE reserved_by = ?1`,
    ),
    passOn: database.prepare('UPDATE outputs SET reserved_by = ? WHERE reserved_by = ?'),
  };
}

/** Statements about the coins of a float. */
function prepareFloat(database: Database) {
  return {
    countFree: database.prepare(
      `SELECT COUNT(*) AS count FROM (SELECT 1 FROM outputs WHERE ${FREE} AND amount >= ? LIMIT ?)`,
    ),
    freeAtLeast: database.prepare(
      `SELECT ${COIN} WHERE ${FREE} AND amount >= ? ORDER BY amount LIMIT ?`,
    ),
    freeBeyond: database.prepare(
      `SELECT outputs.id, transaction_id, output_index, address_id, amount FROM outputs
       JOIN addresses ON addresses.id = outputs.address_id
       WHERE ${FREE} AND (amount >= ? OR ${IS_GIVEN_OUT}) AND outputs.id NOT IN
         (SELECT id FROM outputs WHERE ${FREE} AND amount >= ? ORDER BY amount LIMIT ?)
       ORDER BY amount LIMIT ?`,
    ),
  };
}

function prepareUndo(database: Database) {
  return {
    spend: database.prepare(
      'UPDATE outputs SET spent_height = NULL, spent_by = NULL WHERE id = ? AND spent_height <= ?',
    ),
    forget: database.prepare('DELETE FROM outputs WHERE height > ?'),
    giveBack: database.prepare(
      `UPDATE outputs SET spent_height = NULL, spent_by = NULL, reserved_by = COALESCE(
         (SELECT id FROM transactions WHERE transactions.transaction_id = outputs.spent_by), reserved_by)
       WHERE spent_height > ?`,
    ),
  };
}

function coinOf(row: Row): Coin {
  return {
    id: numberOf(row, 'id'),
    transactionId: textOf(row, 'transaction_id'),
    outputIndex: numberOf(row, 'output_index'),
    addressId: numberOf(row, 'address_id'),
    amount: amountOf(row, 'amount'),
  };
}

function toldOf(row: Row): ToldOutput {
  return { ...outputOf(row), toldHeight: numberOf(row, 'told') };
}

function outputOf(row: Row): WalletOutput {
  const senders = optionalText(row, 'senders');
  return {
    ...coinOf(row),
    source: textOf(row, 'source'),
    height: numberOf(row, 'height'),
    payloadText: optionalText(row, 'payload_text'),
    payloadHex: optionalText(row, 'payload_hex'),
    senders:
      senders === null ? 'not_kept' : (JSON.parse(senders) as readonly string[] | SendersUnknown),
    isMessenger: flagOf(row, 'messenger'),
    address: textOf(row, 'address'),
    label: optionalText(row, 'label'),
    branch: numberOf(row, 'branch'),
    spentHeight: optionalNumber(row, 'spent_height'),
    spentBy: optionalText(row, 'spent_by'),
    reservedBy: optionalNumber(row, 'reserved_by'),
  };
}
