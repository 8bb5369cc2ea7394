/**
 * The tables of a pool, in the SQL that SQLite and PostgreSQL share. Amounts are atoms in BIGINT; work is a decimal
 * text, since sums of it pass 64 bits. Numbers of rows are given out by the program, which is the only writer.
 */
export const SCHEMA_VERSION = '1';

export const SCHEMA: readonly string[] = [
  'CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)',
  // Shares of a batch that came in a row from one worker are one row; `number` is the order of all shares.
  `CREATE TABLE IF NOT EXISTS shares (
    number BIGINT PRIMARY KEY, mode TEXT NOT NULL, address TEXT NOT NULL, worker TEXT NOT NULL,
    shares BIGINT NOT NULL, work TEXT NOT NULL, height BIGINT NOT NULL, time_millis BIGINT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS workers (
    address TEXT NOT NULL, worker TEXT NOT NULL, shares BIGINT NOT NULL, work TEXT NOT NULL,
    last_share_millis BIGINT NOT NULL, PRIMARY KEY (address, worker))`,
  // `balance` is credited and not yet in a payout; `held` says why an address is not paid.
  `CREATE TABLE IF NOT EXISTS accounts (
    address TEXT PRIMARY KEY, balance BIGINT NOT NULL, earned BIGINT NOT NULL, held TEXT)`,
  // `state` is found, paid or expired. `last_share` is the newest share of the block's window.
  `CREATE TABLE IF NOT EXISTS blocks (
    block_id TEXT PRIMARY KEY, number BIGINT NOT NULL UNIQUE, mode TEXT NOT NULL, address TEXT NOT NULL,
    worker TEXT NOT NULL, anchor_height BIGINT NOT NULL, expires_height BIGINT NOT NULL,
    work TEXT NOT NULL, window_work TEXT NOT NULL, last_share BIGINT NOT NULL,
    found_millis BIGINT NOT NULL, state TEXT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS rounds (
    number BIGINT PRIMARY KEY, block_id TEXT NOT NULL UNIQUE, paid_height BIGINT NOT NULL,
    root TEXT NOT NULL, document TEXT NOT NULL)`,
  // `state` is open, sent, final, or refused, expired or conflict, whose amounts went back to the balances.
  `CREATE TABLE IF NOT EXISTS payouts (
    number BIGINT PRIMARY KEY, request_id TEXT NOT NULL UNIQUE, state TEXT NOT NULL, round BIGINT NOT NULL,
    root TEXT NOT NULL, fee BIGINT NOT NULL, transaction_id TEXT, reason TEXT, created_millis BIGINT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS payout_lines (
    payout BIGINT NOT NULL, place BIGINT NOT NULL, address TEXT NOT NULL, atoms BIGINT NOT NULL,
    PRIMARY KEY (payout, place))`,
  // Of each address, and of all together under the empty address, the work of ten minutes; kept for a day.
  `CREATE TABLE IF NOT EXISTS history (
    address TEXT NOT NULL, step BIGINT NOT NULL, work DOUBLE PRECISION NOT NULL, blocks BIGINT NOT NULL,
    expected_blocks DOUBLE PRECISION NOT NULL, PRIMARY KEY (address, step))`,
  'CREATE INDEX IF NOT EXISTS history_by_step ON history (step)',
  'CREATE INDEX IF NOT EXISTS shares_by_height ON shares (height)',
  'CREATE INDEX IF NOT EXISTS blocks_by_state ON blocks (state)',
  'CREATE INDEX IF NOT EXISTS payouts_by_state ON payouts (state)',
  'CREATE INDEX IF NOT EXISTS payout_lines_by_address ON payout_lines (address)',
];
