/**
 * The tables of a wallet's state, one list entry for each version of them. An entry is never edited once a
 * release has carried it; a change is a new entry. Triggers keep the totals, so that no write can forget them.
 */
const VERSION_1 = `
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE addresses(
  id INTEGER PRIMARY KEY,
  branch INTEGER NOT NULL,
  position INTEGER NOT NULL,
  address TEXT NOT NULL UNIQUE,
  label TEXT,
  issued_at_millis INTEGER,
  used_height INTEGER,
  key_registered INTEGER NOT NULL DEFAULT 0,
  owns_positions INTEGER NOT NULL DEFAULT 0,
  scanned INTEGER NOT NULL,
  balance INTEGER NOT NULL DEFAULT 0,
  output_count INTEGER NOT NULL DEFAULT 0,
  UNIQUE(branch, position)
) STRICT;
CREATE TABLE branches(branch INTEGER PRIMARY KEY, next_position INTEGER NOT NULL) STRICT;
INSERT INTO branches VALUES(0, 0), (1, 0);
CREATE INDEX addresses_labelled ON addresses(label, id) WHERE label IS NOT NULL;
CREATE INDEX addresses_unscanned ON addresses(id) WHERE scanned = 0;
CREATE INDEX addresses_crowded ON addresses(output_count) WHERE output_count > 1;
CREATE INDEX addresses_owning ON addresses(id) WHERE owns_positions = 1;

CREATE TABLE requests(
  id INTEGER PRIMARY KEY,
  request_id TEXT NOT NULL UNIQUE,
  method TEXT NOT NULL,
  params TEXT NOT NULL,
  automatic INTEGER NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('accepted', 'built', 'refused')),
  result TEXT,
  refusal TEXT,
  created_at_millis INTEGER NOT NULL
) STRICT;
CREATE INDEX requests_accepted ON requests(id) WHERE state = 'accepted';

CREATE TABLE transactions(
  id INTEGER PRIMARY KEY,
  request INTEGER NOT NULL REFERENCES requests(id),
  kind TEXT NOT NULL,
  transaction_id TEXT NOT NULL UNIQUE,
  wire BLOB,
  valid_until INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  fee INTEGER NOT NULL,
  recipients TEXT NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('built', 'submitted', 'known', 'refused', 'final')),
  outcome TEXT CHECK(outcome IN ('finalized', 'conflict', 'expired')),
  attempts INTEGER NOT NULL DEFAULT 0,
  unanswered INTEGER NOT NULL DEFAULT 0,
  refusal TEXT,
  final_height INTEGER,
  proof TEXT,
  created_at_millis INTEGER NOT NULL,
  CHECK((state = 'final') = (outcome IS NOT NULL))
) STRICT;
CREATE INDEX transactions_open ON transactions(id) WHERE state <> 'final';
CREATE INDEX transactions_by_request ON transactions(request);
CREATE INDEX transactions_by_height ON transactions(final_height) WHERE final_height IS NOT NULL;

CREATE TABLE outputs(
  id INTEGER PRIMARY KEY,
  transaction_id TEXT NOT NULL,
  output_index INTEGER NOT NULL,
  address_id INTEGER NOT NULL REFERENCES addresses(id),
  amount INTEGER NOT NULL,
  source TEXT NOT NULL,
  height INTEGER NOT NULL,
  spent_height INTEGER,
  spent_by TEXT,
  reserved_by INTEGER REFERENCES transactions(id),
  payload_text TEXT,
  payload_hex TEXT,
  senders TEXT,
  messenger INTEGER NOT NULL DEFAULT 0,
  generation INTEGER NOT NULL,
  UNIQUE(transaction_id, output_index)
) STRICT;
CREATE INDEX outputs_free ON outputs(amount) WHERE spent_height IS NULL AND reserved_by IS NULL;
CREATE INDEX outputs_free_by_address ON outputs(address_id, amount) WHERE spent_height IS NULL AND reserved_by IS NULL;
CREATE INDEX outputs_by_address ON outputs(address_id, spent_height);
CREATE INDEX outputs_by_height ON outputs(height, id);
CREATE INDEX outputs_by_spent_height ON outputs(spent_height, id) WHERE spent_height IS NOT NULL;
CREATE INDEX outputs_reserved ON outputs(reserved_by) WHERE reserved_by IS NOT NULL;

CREATE TABLE totals(
  one INTEGER PRIMARY KEY CHECK(one = 1),
  balance INTEGER NOT NULL,
  output_count INTEGER NOT NULL,
  reserved INTEGER NOT NULL,
  reserved_count INTEGER NOT NULL
) STRICT;
INSERT INTO totals VALUES(1, 0, 0, 0, 0);

CREATE TRIGGER output_came AFTER INSERT ON outputs WHEN NEW.spent_height IS NULL BEGIN
  UPDATE totals SET balance = balance + NEW.amount, output_count = output_count + 1;
  UPDATE addresses SET balance = balance + NEW.amount, output_count = output_count + 1
    WHERE id = NEW.address_id;
END;
CREATE TRIGGER output_went AFTER UPDATE OF spent_height ON outputs
  WHEN OLD.spent_height IS NULL AND NEW.spent_height IS NOT NULL BEGIN
  UPDATE totals SET balance = balance - NEW.amount, output_count = output_count - 1;
  UPDATE addresses SET balance = balance - NEW.amount, output_count = output_count - 1
    WHERE id = NEW.address_id;
END;
CREATE TRIGGER output_came_back AFTER UPDATE OF spent_height ON outputs
  WHEN OLD.spent_height IS NOT NULL AND NEW.spent_height IS NULL BEGIN
  UPDATE totals SET balance = balance + NEW.amount, output_count = output_count + 1;
  UPDATE addresses SET balance = balance + NEW.amount, output_count = output_count + 1
    WHERE id = NEW.address_id;
END;
CREATE TRIGGER output_forgotten AFTER DELETE ON outputs WHEN OLD.spent_height IS NULL BEGIN
  UPDATE totals SET balance = balance - OLD.amount, output_count = output_count - 1;
  UPDATE addresses SET balance = balance - OLD.amount, output_count = output_count - 1
    WHERE id = OLD.address_id;
END;
CREATE TRIGGER output_hold_changed AFTER UPDATE OF spent_height, reserved_by ON outputs
  WHEN (OLD.spent_height IS NULL AND OLD.reserved_by IS NOT NULL)
    <> (NEW.spent_height IS NULL AND NEW.reserved_by IS NOT NULL) BEGIN
  UPDATE totals SET
    reserved = reserved + CASE WHEN NEW.spent_height IS NULL AND NEW.reserved_by IS NOT NULL
      THEN NEW.amount ELSE -NEW.amount END,
    reserved_count = reserved_count + CASE WHEN NEW.spent_height IS NULL
      AND NEW.reserved_by IS NOT NULL THEN 1 ELSE -1 END;
END;
CREATE TRIGGER output_held_forgotten AFTER DELETE ON outputs
  WHEN OLD.spent_height IS NULL AND OLD.reserved_by IS NOT NULL BEGIN
  UPDATE totals SET reserved = reserved - OLD.amount, reserved_count = reserved_count - 1;
END;

CREATE TABLE events(
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  event TEXT NOT NULL,
  height INTEGER NOT NULL,
  data TEXT NOT NULL
) STRICT;
`;

/** Cuts that the wallet has followed, and the bytes of transactions that a changed history may need again. */
const VERSION_2 = `
CREATE TABLE cuts(height INTEGER PRIMARY KEY, cut_id TEXT NOT NULL) STRICT;
CREATE INDEX transactions_final_with_bytes ON transactions(final_height)
  WHERE wire IS NOT NULL AND final_height IS NOT NULL;
`;

/** Inputs of transactions that came back from the journal copy, until the chain has been read. */
const VERSION_3 = `
CREATE TABLE recovered_inputs(
  transaction_id TEXT NOT NULL,
  output_index INTEGER NOT NULL,
  spender INTEGER NOT NULL REFERENCES transactions(id),
  PRIMARY KEY(transaction_id, output_index, spender)
) STRICT, WITHOUT ROWID;
`;

/** The names under which callers asked for addresses, with the labels that they asked for. */
const VERSION_4 = `
CREATE TABLE address_requests(
  request_id TEXT PRIMARY KEY,
  address_id INTEGER NOT NULL UNIQUE REFERENCES addresses(id),
  label TEXT
) STRICT, WITHOUT ROWID;
`;

/**
 * Who asked for a request, the budget that it counts against, and what each budget has spent. `total` adds up from the
 * first row of a budget, so that what was spent since a moment is the difference of two rows.
 */
const VERSION_5 = `
ALTER TABLE requests ADD COLUMN caller TEXT;
ALTER TABLE requests ADD COLUMN budget TEXT;
CREATE TABLE spendings(
  id INTEGER PRIMARY KEY,
  budget TEXT NOT NULL,
  at_millis INTEGER NOT NULL,
  total INTEGER NOT NULL
) STRICT;
CREATE INDEX spendings_by_time ON spendings(budget, at_millis, id);
`;

/** Lines that the audit file lacks; its numbers are never used again. */
const VERSION_6 = `
CREATE TABLE audit_outbox(sequence INTEGER PRIMARY KEY AUTOINCREMENT, data TEXT NOT NULL) STRICT;
`;

/** Outputs that came back from a payment of a wallet whose addresses are fixed: no payments to it. */
const VERSION_7 = `
ALTER TABLE outputs ADD COLUMN is_change INTEGER NOT NULL DEFAULT 0;
`;

/**
 * Signed bytes in a table of their own, where they are written once: a row of `transactions` changes several times on the
 * way of a payment and is rewritten whole each time.
 */
const VERSION_8 = `
CREATE TABLE wires(transaction_row INTEGER PRIMARY KEY REFERENCES transactions(id), wire BLOB NOT NULL) STRICT;
INSERT INTO wires SELECT id, wire FROM transactions WHERE wire IS NOT NULL;
DROP INDEX transactions_final_with_bytes;
ALTER TABLE transactions ADD COLUMN has_wire INTEGER NOT NULL DEFAULT 0;
UPDATE transactions SET has_wire = 1 WHERE wire IS NOT NULL;
ALTER TABLE transactions DROP COLUMN wire;
CREATE INDEX transactions_final_with_wire ON transactions(final_height)
  WHERE has_wire = 1 AND final_height IS NOT NULL;
`;

/** A transaction that gives a payment up spends the coins which that one has reserved. */
const VERSION_9 = `
ALTER TABLE transactions ADD COLUMN replaces INTEGER REFERENCES transactions(id);
CREATE INDEX transactions_replacing ON transactions(replaces) WHERE replaces IS NOT NULL;
`;

/** What the wallet looks for at every cut among its open transactions. */
const VERSION_10 = `
CREATE INDEX transactions_by_validity ON transactions(valid_until) WHERE state <> 'final';
CREATE INDEX transactions_unsent ON transactions(id) WHERE state IN ('built', 'submitted');
CREATE INDEX outputs_contested ON outputs(reserved_by)
  WHERE reserved_by IS NOT NULL AND spent_height IS NOT NULL;
`;

/**
 * The same conditions on states, outcomes and requests as version 1 has, told one by one. SQLite makes a table of each
 * `IN` with more than two values whenever a row is written, which took a payment longer than its rows. Nothing but the text
 * of the definitions changes, in the way that SQLite's own documentation describes for conditions of a table.
 */
const VERSION_11 = `
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(replace(replace(sql,
  'state IN (''built'', ''submitted'', ''known'', ''refused'', ''final'')',
  'state = ''known'' OR state = ''submitted'' OR state = ''final'' OR state = ''built'' OR state = ''refused'''),
  'outcome IN (''finalized'', ''conflict'', ''expired'')',
  'outcome IS NULL OR outcome = ''finalized'' OR outcome = ''conflict'' OR outcome = ''expired'''),
  'state IN (''accepted'', ''built'', ''refused'')',
  'state = ''built'' OR state = ''accepted'' OR state = ''refused''')
WHERE type = 'table' AND name IN ('requests', 'transactions');
PRAGMA writable_schema = RESET;
`;

/**
 * Requests that were refused for good, in the order in which that happened, and requests that wait to be asked for again.
 * Of those from before nobody knows the order any more; that of the requests does as well.
 */
const VERSION_12 = `
CREATE TABLE refusals(
  sequence INTEGER PRIMARY KEY,
  request INTEGER NOT NULL UNIQUE REFERENCES requests(id)
) STRICT;
INSERT INTO refusals(request) SELECT id FROM requests WHERE state = 'refused' ORDER BY id;
CREATE TABLE held_requests(request INTEGER PRIMARY KEY REFERENCES requests(id)) STRICT;
`;

/**
 * From which height on a state has every payment of its wallet (`complete_above` in `meta`). One of an earlier release
 * has them from where it is, a rescan that is under way included; one that never read up to a cut has none yet.
 */
const VERSION_13 = `
INSERT INTO meta SELECT 'complete_above', value FROM meta WHERE name = 'indexed_height';
INSERT OR IGNORE INTO meta
  SELECT 'complete_above', CAST(height AS TEXT) FROM cuts ORDER BY height DESC LIMIT 1;
`;

/**
 * Inputs that outputs do not tell of are kept for as long as their transactions. An output that is forgotten while it is
 * reserved leaves its outpoint, and one that comes while an open transaction spends it is reserved.
 */
const VERSION_14 = `
ALTER TABLE recovered_inputs RENAME TO kept_inputs;
CREATE INDEX kept_inputs_by_spender ON kept_inputs(spender);
CREATE TRIGGER output_input_kept AFTER DELETE ON outputs WHEN OLD.reserved_by IS NOT NULL BEGIN
  INSERT OR IGNORE INTO kept_inputs VALUES(OLD.transaction_id, OLD.output_index, OLD.reserved_by);
END;
CREATE TRIGGER output_awaited AFTER INSERT ON outputs WHEN EXISTS
  (SELECT 1 FROM kept_inputs WHERE transaction_id = NEW.transaction_id AND output_index = NEW.output_index) BEGIN
  UPDATE outputs SET reserved_by =
    (SELECT MIN(spender) FROM kept_inputs JOIN transactions ON transactions.id = spender
     WHERE kept_inputs.transaction_id = NEW.transaction_id AND output_index = NEW.output_index
       AND transactions.state <> 'final')
  WHERE id = NEW.id;
END;
`;

/** When cuts were made final that brought or took outputs, as their validators signed it. Of those from before nobody knows. */
const VERSION_15 = `
CREATE TABLE cut_times(height INTEGER PRIMARY KEY, at_millis INTEGER NOT NULL) STRICT;
CREATE INDEX cut_times_by_time ON cut_times(at_millis);
`;

/**
 * At which height an output is told of that came lower and was found later, when the past was read once more. All others
 * are told of at their own.
 */
const VERSION_16 = `
ALTER TABLE outputs ADD COLUMN told_height INTEGER;
CREATE INDEX outputs_told_later ON outputs(told_height, id) WHERE told_height IS NOT NULL;
`;

export const MIGRATIONS: readonly string[] = [
  VERSION_1,
  VERSION_2,
  VERSION_3,
  VERSION_4,
  VERSION_5,
  VERSION_6,
  VERSION_7,
  VERSION_8,
  VERSION_9,
  VERSION_10,
  VERSION_11,
  VERSION_12,
  VERSION_13,
  VERSION_14,
  VERSION_15,
  VERSION_16,
];
