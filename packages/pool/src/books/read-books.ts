/**
 * What the page, the statistics and the metrics read from the books.
 */
import {
  bigintOf,
  type Database,
  integerOf,
  optionalTextOf,
  type Sql,
  type SqlRow,
  textOf,
} from '../database/database.ts';
import { readMeta } from './books.ts';
import { type HistoryRange, type HistoryStep, readHistory } from './work-history.ts';

export interface BooksTotals {
  readonly rounds: number;
  /** The root of the newest round. */
  readonly root: string | null;
  readonly blocks: Readonly<Record<'found' | 'paid' | 'expired', number>>;
  readonly payouts: Readonly<Record<string, number>>;
  readonly balances: bigint;
  readonly heldAccounts: number;
  readonly fees: bigint;
  readonly carried: bigint;
  readonly cursorHeight: number;
}

export interface MinerReport {
  readonly address: string;
  readonly balance: bigint;
  readonly earned: bigint;
  readonly held: string | null;
  readonly workers: readonly WorkerReport[];
  readonly payouts: readonly PayoutReport[];
}

export interface WorkerReport {
  readonly worker: string;
  readonly shares: bigint;
  readonly work: bigint;
  readonly lastShareMillis: number;
}

export interface PayoutReport {
  readonly payout: number;
  readonly state: string;
  readonly atoms: bigint;
  readonly recipients: number;
  readonly fee: bigint;
  readonly transaction: string | null;
  readonly round: number;
  readonly root: string;
}

export interface BlockReport {
  readonly blockId: string;
  readonly mode: string;
  readonly address: string;
  readonly worker: string;
  readonly anchorHeight: number;
  readonly state: string;
  readonly round: number | null;
}

export interface RoundReport {
  readonly round: number;
  readonly blockId: string;
  readonly paidHeight: number;
  readonly root: string;
}

const WORKERS_SHOWN_MAX = 100;
export const PAGE_ROWS = 50;
const STATES = ['found', 'paid', 'expired'] as const;

export class BookReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  totals(): Promise<BooksTotals> {
    return this.#database.transaction(async (sql) => {
      const blocks = await countsOf(sql, 'blocks');
      const [accounts] = await sql.rows(
        'SELECT COALESCE(SUM(balance), 0) AS balances, COUNT(held) AS held FROM accounts',
      );
      const [newest] = await sql.rows(
        'SELECT number, root FROM rounds ORDER BY number DESC LIMIT 1',
      );
      return {
        rounds: newest === undefined ? 0 : integerOf(newest, 'number'),
        root: newest === undefined ? null : textOf(newest, 'root'),
        blocks: Object.fromEntries(
          STATES.map((state) => [state, blocks[state] ?? 0]),
        ) as BooksTotals['blocks'],
        payouts: await countsOf(sql, 'payouts'),
        balances: accounts === undefined ? 0n : bigintOf(accounts, 'balances'),
        heldAccounts: accounts === undefined ? 0 : integerOf(accounts, 'held'),
        fees: BigInt(await readMeta(sql, 'fees')),
        carried: BigInt(await readMeta(sql, 'carried')),
        cursorHeight: Number(await readMeta(sql, 'cursor_height')),
      };
    });
  }

  /** Newest first, below a number if one is given. */
  blocks(): Promise<BlockReport[]> {
    return this.#database.transaction(async (sql) => {
      const rows = await sql.rows(
        `SELECT blocks.*, rounds.number AS round FROM blocks LEFT JOIN rounds ON rounds.block_id = blocks.block_id
         ORDER BY blocks.number DESC LIMIT ${PAGE_ROWS}`,
      );
      return rows.map((row) => ({
        blockId: textOf(row, 'block_id'),
        mode: textOf(row, 'mode'),
        address: textOf(row, 'address'),
        worker: textOf(row, 'worker'),
        anchorHeight: integerOf(row, 'anchor_height'),
        state: textOf(row, 'state'),
        round: row['round'] === null ? null : integerOf(row, 'round'),
      }));
    });
  }

  rounds(before: number): Promise<RoundReport[]> {
    return this.#database.transaction(async (sql) => {
      const rows = await sql.rows(
        `SELECT number, block_id, paid_height, root FROM rounds WHERE number < $1
         ORDER BY number DESC LIMIT ${PAGE_ROWS}`,
        [before],
      );
      return rows.map((row) => ({
        round: integerOf(row, 'number'),
        blockId: textOf(row, 'block_id'),
        paidHeight: integerOf(row, 'paid_height'),
        root: textOf(row, 'root'),
      }));
    });
  }

  /** The published document of a round. */
  round(number: number): Promise<string | undefined> {
    return this.#database.transaction(async (sql) => {
      const [row] = await sql.rows('SELECT document FROM rounds WHERE number = $1', [number]);
      return row === undefined ? undefined : textOf(row, 'document');
    });
  }

  payouts(before: number): Promise<PayoutReport[]> {
    return this.#database.transaction((sql) => payoutsOf(sql, 'payouts.number < $1', before));
  }

  history(range: HistoryRange): Promise<HistoryStep[]> {
    return this.#database.transaction((sql) => readHistory(sql, range));
  }

  /** Undefined if the pool has never had a share of the address. */
  miner(address: string): Promise<MinerReport | undefined> {
    return this.#database.transaction(async (sql) => {
      const workers = await sql.rows(
        `SELECT * FROM workers WHERE address = $1 ORDER BY last_share_millis DESC LIMIT ${WORKERS_SHOWN_MAX}`,
        [address],
      );
      const [account] = await sql.rows('SELECT * FROM accounts WHERE address = $1', [address]);
      if (workers.length === 0 && account === undefined) return undefined;
      return {
        address,
        balance: account === undefined ? 0n : bigintOf(account, 'balance'),
        earned: account === undefined ? 0n : bigintOf(account, 'earned'),
        held: account === undefined ? null : optionalTextOf(account, 'held'),
        workers: workers.map(workerOf),
        payouts: await payoutsOf(sql, 'payout_lines.address = $1', address),
      };
    });
  }
}

async function countsOf(sql: Sql, table: 'blocks' | 'payouts'): Promise<Record<string, number>> {
  const rows = await sql.rows(`SELECT state, COUNT(*) AS count FROM ${table} GROUP BY state`);
  return Object.fromEntries(rows.map((row) => [textOf(row, 'state'), integerOf(row, 'count')]));
}

async function payoutsOf(
  sql: Sql,
  condition: string,
  value: string | number,
): Promise<PayoutReport[]> {
  const rows = await sql.rows(
    `SELECT payouts.number, payouts.state, payouts.fee, payouts.transaction_id, payouts.round, payouts.root,
       SUM(payout_lines.atoms) AS atoms, COUNT(*) AS recipients
     FROM payouts JOIN payout_lines ON payout_lines.payout = payouts.number WHERE ${condition}
     GROUP BY payouts.number, payouts.state, payouts.fee, payouts.transaction_id, payouts.round, payouts.root
     ORDER BY payouts.number DESC LIMIT ${PAGE_ROWS}`,
    [value],
  );
  return rows.map((row) => ({
    payout: integerOf(row, 'number'),
    state: textOf(row, 'state'),
    atoms: bigintOf(row, 'atoms'),
    recipients: integerOf(row, 'recipients'),
    fee: bigintOf(row, 'fee'),
    transaction: optionalTextOf(row, 'transaction_id'),
    round: integerOf(row, 'round'),
    root: textOf(row, 'root'),
  }));
}

function workerOf(row: SqlRow): WorkerReport {
  return {
    worker: textOf(row, 'worker'),
    shares: bigintOf(row, 'shares'),
    work: bigintOf(row, 'work'),
    lastShareMillis: integerOf(row, 'last_share_millis'),
  };
}
