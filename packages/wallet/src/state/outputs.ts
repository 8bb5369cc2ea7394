/**
 * Finalized outputs of the wallet's addresses: which there are, which are spent, and which are reserved by a
 * transaction that is not final yet. Triggers keep the totals within the same commit.
 */
import type { SendersUnknown } from 'svc-client';
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

/** The height of an output whose arrival is not proven yet; no event reports such an output. */
export const HEIGHT_UNKNOWN = 0;

/** The height that an output is reported at while that height is not known yet. */
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
  /** Who sent it, or why no sender is named. */
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

/** A payment in the order in which payments are reported. */
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
const IS_GIVEN_OUT = new Fragment('+addresses.branch = 0 AND outputs.is_change = 0');
const JOINED = new Fragment(`outputs.*, addresses.address, addresses.label, addresses.branch
  FROM outputs JOIN addresses ON addresses.id = outputs.address_id`);
const COIN = new Fragment('id, transaction_id, output_index, address_id, amount FROM outputs');
const JOINED_COIN = new Fragment(`outputs.id, transaction_id, output_index, address_id, amount
  FROM outputs JOIN addresses ON addresses.id = outputs.address_id`);
const FREE = new Fragment('spent_height IS NULL AND reserved_by IS NULL');
const TOLD_AT_OWN = new Fragment(`outputs.height AS told, outputs.id AS told_id, ${JOINED.sql}
  WHERE outputs.told_height IS NULL AND ${IS_GIVEN_OUT.sql}`);
const TOLD_LATE = new Fragment(`outputs.told_height AS told, outputs.id AS told_id, ${JOINED.sql}
  WHERE outputs.told_height IS NOT NULL AND ${IS_GIVEN_OUT.sql}`);

export class Outputs {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  totals(): Totals {
    const row = this.#database.row`SELECT * FROM totals` as Row;
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
    const { addressId, amount, height, outputIndex, payloadHex, payloadText, source } = output;
    const { isChange = false, isMessenger, transactionId } = output;
    const senders = JSON.stringify(output.senders);
    const inserted = this.#database
      .run`INSERT INTO outputs(transaction_id, output_index, address_id,
        amount, source, height, payload_text, payload_hex, senders, messenger, is_change, generation)
      VALUES(${transactionId}, ${outputIndex}, ${addressId}, ${amount}, ${source}, ${height},
        ${payloadText}, ${payloadHex}, ${senders}, ${isMessenger}, ${isChange}, ${generation})
      ON CONFLICT DO NOTHING`;
    if (inserted.changes === 1) return true;
    // Totals are of what is unspent: of that, owner and amount never change.
    const { changes } = this.#database.run`UPDATE outputs SET address_id = ${addressId},
        amount = ${amount}, source = ${source}, height = ${height}, payload_text = ${payloadText},
        payload_hex = ${payloadHex}, senders = ${senders}, messenger = ${isMessenger},
        is_change = MAX(is_change, ${isChange})
      WHERE transaction_id = ${transactionId} AND output_index = ${outputIndex}
        AND height = ${HEIGHT_UNKNOWN}
        AND (spent_height IS NOT NULL OR (address_id = ${addressId} AND amount = ${amount}))`;
    this.#database.run`UPDATE outputs SET generation = ${generation}, height = ${height}
      WHERE transaction_id = ${transactionId} AND output_index = ${outputIndex}`;
    return changes === 1;
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
    const { changes } = this.#database.run`UPDATE outputs
      SET spent_height = ${height}, spent_by = ${spentBy}
      WHERE transaction_id = ${transactionId} AND output_index = ${outputIndex}`;
    return changes === 1;
  }

  find(transactionId: string, outputIndex: number): WalletOutput | undefined {
    const row = this.#database.row`SELECT ${JOINED}
      WHERE outputs.transaction_id = ${transactionId} AND outputs.output_index = ${outputIndex}`;
    return maybe(row, outputOf);
  }

  ofTransaction(transactionId: string): WalletOutput[] {
    return this.#database.rows`SELECT ${JOINED} WHERE outputs.transaction_id = ${transactionId}
      ORDER BY outputs.output_index`.map(outputOf);
  }

  spentBy(transactionId: string): WalletOutput[] {
    return this.#database.rows`SELECT ${JOINED} WHERE outputs.spent_by = ${transactionId}
      ORDER BY outputs.id`.map(outputOf);
  }

  /** Deletes unspent outputs of an address that it is not proven to hold in this reading. */
  forgetUnheld(addressId: number, generation: number): void {
    this.#database.run`DELETE FROM outputs
      WHERE address_id = ${addressId} AND generation < ${generation} AND spent_height IS NULL`;
  }

  /**
   * Undoes what happened above a height, because the history that it happened in is given up: outputs that came are
   * forgotten, outputs that went are there again, reserved by the transaction of this wallet that had spent them. What is
   * forgotten while it is reserved leaves its outpoint, so that it is reserved again when it comes again.
   */
  undoAbove(height: number): void {
    this.#database
      .run`UPDATE outputs SET spent_height = NULL, spent_by = NULL, reserved_by = COALESCE(
        (SELECT id FROM transactions WHERE transactions.transaction_id = outputs.spent_by), reserved_by)
      WHERE spent_height > ${height}`;
    this.#database.run`DELETE FROM outputs WHERE height > ${height}`;
  }

  largest(limit: number): Coin[] {
    return this.#database.rows`SELECT ${COIN} WHERE ${FREE}
      ORDER BY amount DESC LIMIT ${limit}`.map(coinOf);
  }

  smallest(limit: number): Coin[] {
    return this.#database.rows`SELECT ${COIN} WHERE ${FREE}
      ORDER BY amount LIMIT ${limit}`.map(coinOf);
  }

  /** How many free coins have at least this amount; counting ends at the limit. */
  countFree(amount: bigint, limit: number): number {
    const row = this.#database.row`SELECT COUNT(*) AS count FROM
      (SELECT 1 FROM outputs WHERE ${FREE} AND amount >= ${amount} LIMIT ${limit})`;
    return numberOf(row as Row, 'count');
  }

  /** Free coins of at least this amount, the smallest first. */
  freeAtLeast(amount: bigint, limit: number): Coin[] {
    return this.#database.rows`SELECT ${COIN} WHERE ${FREE} AND amount >= ${amount}
      ORDER BY amount LIMIT ${limit}`.map(coinOf);
  }

  /**
   * Free coins beyond a float, which are payments to addresses that were given out and change of at least its amount. The
   * smallest coins of at least that amount are the float's.
   */
  freeBeyond(amount: bigint, count: number, limit: number): Coin[] {
    return this.#database.rows`SELECT ${JOINED_COIN}
      WHERE ${FREE} AND (amount >= ${amount} OR ${IS_GIVEN_OUT}) AND outputs.id NOT IN
        (SELECT id FROM outputs WHERE ${FREE} AND amount >= ${amount} ORDER BY amount LIMIT ${count})
      ORDER BY amount LIMIT ${limit}`.map(coinOf);
  }

  freeOf(addressId: number, limit: number): Coin[] {
    return this.#database.rows`SELECT ${COIN} WHERE ${FREE} AND address_id = ${addressId}
      ORDER BY amount LIMIT ${limit}`.map(coinOf);
  }

  /** Free payments to addresses that were given out; no change. */
  freePayments(limit: number): Coin[] {
    return this.#database.rows`SELECT ${JOINED_COIN} WHERE ${FREE} AND ${IS_GIVEN_OUT}
      ORDER BY amount LIMIT ${limit}`.map(coinOf);
  }

  isFree(id: number): boolean {
    return this.#database.row`SELECT 1 FROM outputs WHERE id = ${id} AND ${FREE}` !== undefined;
  }

  /** Whether the address has spent before: then its key may be in the registry. */
  hasSpent(addressId: number): boolean {
    const row = this.#database.row`SELECT 1 FROM outputs
      WHERE address_id = ${addressId} AND spent_height IS NOT NULL LIMIT 1`;
    return row !== undefined;
  }

  reserve(ids: readonly number[], transaction: number): void {
    for (const id of ids) {
      const { changes } = this.#database.run`UPDATE outputs SET reserved_by = ${transaction}
        WHERE id = ${id} AND ${FREE}`;
      if (changes !== 1) throw new Error(`output ${id} is not free`);
    }
  }

  reservedBy(transaction: number): WalletOutput[] {
    return this.#database.rows`SELECT ${JOINED} WHERE outputs.reserved_by = ${transaction}`.map(
      outputOf,
    );
  }

  /** Takes back that an output was spent up to a height: it was proven unspent after the cut of that height. */
  undoSpend(id: number, upToHeight: number): void {
    this.#database.run`UPDATE outputs SET spent_height = NULL, spent_by = NULL
      WHERE id = ${id} AND spent_height <= ${upToHeight}`;
  }

  /** Lets go what a transaction has reserved; another open one whose input it is has it reserved from then on. */
  release(transaction: number): void {
    this.#database.run`UPDATE outputs SET reserved_by =
        (SELECT MIN(spender) FROM kept_inputs JOIN transactions ON transactions.id = spender
         WHERE kept_inputs.transaction_id = outputs.transaction_id
           AND kept_inputs.output_index = outputs.output_index
           AND spender <> ${transaction} AND transactions.state <> 'final')
      WHERE reserved_by = ${transaction}`;
  }

  /** Reserves for a transaction what another one had reserved. */
  passOn(from: number, to: number): void {
    this.#database.run`UPDATE outputs SET reserved_by = ${to} WHERE reserved_by = ${from}`;
  }

  listUnspent(afterId: number, limit: number): WalletOutput[] {
    return this.#database.rows`SELECT ${JOINED}
      WHERE outputs.id > ${afterId} AND outputs.spent_height IS NULL
      ORDER BY outputs.id LIMIT ${limit}`.map(outputOf);
  }

  listUnspentOf(addressId: number, afterId: number, limit: number): WalletOutput[] {
    return this.#database.rows`SELECT ${JOINED} WHERE outputs.address_id = ${addressId}
      AND outputs.id > ${afterId} AND outputs.spent_height IS NULL
      ORDER BY outputs.id LIMIT ${limit}`.map(outputOf);
  }

  /** The outputs that an address had after the cut of a height which the wallet has read. */
  unspentAt(addressId: number, height: number): WalletOutput[] {
    return this.#database.rows`SELECT ${JOINED}
      WHERE outputs.address_id = ${addressId} AND outputs.height <= ${height}
        AND (outputs.spent_height IS NULL OR outputs.spent_height > ${height})`.map(outputOf);
  }

  /** Whether a transaction of a cut has spent an output of the wallet. */
  isSpentBy(transactionId: string, height: number): boolean {
    const row = this.#database.row`SELECT 1 FROM outputs
      WHERE spent_height = ${height} AND spent_by = ${transactionId} LIMIT 1`;
    return row !== undefined;
  }

  /** Marks what a transaction has brought back as change. */
  markChange(transactionId: string): void {
    this.#database.run`UPDATE outputs SET is_change = 1 WHERE transaction_id = ${transactionId}`;
  }

  /** Has an output reported at a height above its own, because it was found when all below had been reported. */
  tellAt(transactionId: string, outputIndex: number, height: number): void {
    this.#database.run`UPDATE outputs SET told_height = ${height}
      WHERE transaction_id = ${transactionId} AND output_index = ${outputIndex}`;
  }

  /** Has pending outputs reported at a height. */
  tellWaiting(height: number): void {
    this.#database
      .run`UPDATE outputs SET told_height = ${height} WHERE told_height = ${TOLD_LATER}`;
  }

  /** Payments to addresses that were given out, by the height that they are reported at; outputs for change are not among them. */
  receivedAfter(height: number, upTo: number, limit: number): ToldOutput[] {
    return this.#database.rows`SELECT ${TOLD_AT_OWN}
        AND outputs.height > ${height} AND outputs.height <= ${upTo}
      UNION ALL SELECT ${TOLD_LATE}
        AND outputs.told_height > ${height} AND outputs.told_height <= ${upTo}
      ORDER BY told, told_id LIMIT ${limit}`.map(toldOf);
  }

  /** The same, above a height or at it with a larger id, up to a height, oldest first. */
  receivedBehind(height: number, id: number, upTo: number, limit: number): ToldOutput[] {
    return this.#database.rows`SELECT ${TOLD_AT_OWN}
        AND (outputs.height, outputs.id) > (${height}, ${id}) AND outputs.height <= ${upTo}
      UNION ALL SELECT ${TOLD_LATE}
        AND (outputs.told_height, outputs.id) > (${height}, ${id}) AND outputs.told_height <= ${upTo}
      ORDER BY told, told_id LIMIT ${limit}`.map(toldOf);
  }

  /** Payments to addresses that were given out, below a height or at it with a smaller id, newest first. */
  receivedBefore(height: number, id: number, limit: number): WalletOutput[] {
    return this.#database.rows`SELECT ${JOINED}
      WHERE (outputs.height, outputs.id) < (${height}, ${id}) AND ${IS_GIVEN_OUT}
      ORDER BY outputs.height DESC, outputs.id DESC LIMIT ${limit}`.map(outputOf);
  }
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
