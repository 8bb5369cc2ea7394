/**
 * The tables of a wallet's state. Triggers keep the totals, so that no write can forget them. Conditions of tables list no
 * values: SQLite makes a table of each `IN` with more than two values whenever a row is written.
 */
export const STATE_VERSION = 1;

export const SCHEMA = `
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
  state TEXT NOT NULL CHECK(state = 'built' OR state = 'accepted' OR state = 'refused'),
  result TEXT,
  refusal TEXT,
  created_at_millis INTEGER NOT NULL,
  caller TEXT,
  budget TEXT
) STRICT;
CREATE INDEX requests_accepted ON requests(id) WHERE state = 'accepted';
CREATE TABLE refusals(
  sequence INTEGER PRIMARY KEY,
  request INTEGER NOT NULL UNIQUE REFERENCES requests(id)
) STRICT;
CREATE TABLE held_requests(request INTEGER PRIMARY KEY REFERENCES requests(id)) STRICT;
CREATE TABLE address_requests(
  request_id TEXT PRIMARY KEY,
  address_id INTEGER NOT NULL UNIQUE REFERENCES addresses(id),
  label TEXT
) STRICT, WITHOUT ROWID;
-- "total" adds up from the first row of a budget: what was spent since a moment is the difference of two rows.
CREATE TABLE spendings(
  id INTEGER PRIMARY KEY,
  budget TEXT NOT NULL,
  at_millis INTEGER NOT NULL,
  total INTEGER NOT NULL
) STRICT;
CREATE INDEX spendings_by_time ON spendings(budget, at_millis, id);

CREATE TABLE transactions(
  id INTEGER PRIMARY KEY,
  request INTEGER NOT NULL REFERENCES requests(id),
  kind TEXT NOT NULL,
  transaction_id TEXT NOT NULL UNIQUE,
  valid_until INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  fee INTEGER NOT NULL,
  recipients TEXT NOT NULL,
  state TEXT NOT NULL CHECK(state = 'known' OR state = 'submitted' OR state = 'final' OR state = 'built' OR state = 'refused'),
  outcome TEXT CHECK(outcome IS NULL OR outcome = 'finalized' OR outcome = 'conflict' OR outcome = 'expired'),
  attempts INTEGER NOT NULL DEFAULT 0,
  unanswered INTEGER NOT NULL DEFAULT 0,
  refusal TEXT,
  final_height INTEGER,
  proof TEXT,
  created_at_millis INTEGER NOT NULL,
  has_wire INTEGER NOT NULL DEFAULT 0,
  replaces INTEGER REFERENCES transactions(id),
  CHECK((state = 'final') = (outcome IS NOT NULL))
) STRICT;
CREATE INDEX transactions_open ON transactions(id) WHERE state <> 'final';
CREATE INDEX transactions_by_request ON transactions(request);
CREATE INDEX transactions_by_height ON transactions(final_height) WHERE final_height IS NOT NULL;
CREATE INDEX transactions_final_with_wire ON transactions(final_height)
  WHERE has_wire = 1 AND final_height IS NOT NULL;
CREATE INDEX transactions_replacing ON transactions(replaces) WHERE replaces IS NOT NULL;
CREATE INDEX transactions_by_validity ON transactions(valid_until) WHERE state <> 'final';
CREATE INDEX transactions_unsent ON transactions(id) WHERE state IN ('built', 'submitted');
-- Signed bytes are written once; the row of a transaction changes several times and is rewritten whole each time.
CREATE TABLE wires(transaction_row INTEGER PRIMARY KEY REFERENCES transactions(id), wire BLOB NOT NULL) STRICT;

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
  is_change INTEGER NOT NULL DEFAULT 0,
  -- The height at which an output is reported that was found later than its own height; null for all others.
  told_height INTEGER,
  UNIQUE(transaction_id, output_index)
) STRICT;
CREATE INDEX outputs_free ON outputs(amount) WHERE spent_height IS NULL AND reserved_by IS NULL;
CREATE INDEX outputs_free_by_address ON outputs(address_id, amount) WHERE spent_height IS NULL AND reserved_by IS NULL;
CREATE INDEX outputs_by_address ON outputs(address_id, spent_height);
CREATE INDEX outputs_by_height ON outputs(height, id);
CREATE INDEX outputs_by_spent_height ON outputs(spent_height, id) WHERE spent_height IS NOT NULL;
CREATE INDEX outputs_reserved ON outputs(reserved_by) WHERE reserved_by IS NOT NULL;
CREATE INDEX outputs_contested ON outputs(reserved_by)
  WHERE reserved_by IS NOT NULL AND spent_height IS NOT NULL;
CREATE INDEX outputs_told_later ON outputs(told_height, id) WHERE told_height IS NOT NULL;

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
CREATE TABLE cuts(height INTEGER PRIMARY KEY, cut_id TEXT NOT NULL) STRICT;
CREATE TABLE cut_times(height INTEGER PRIMARY KEY, at_millis INTEGER NOT NULL) STRICT;
CREATE INDEX cut_times_by_time ON cut_times(at_millis);
-- Lines that the audit file lacks; its numbers are never used again.
CREATE TABLE audit_outbox(sequence INTEGER PRIMARY KEY AUTOINCREMENT, data TEXT NOT NULL) STRICT;

-- Inputs that no output of the wallet shows are kept for as long as their transactions. An output that is deleted while it
-- is reserved leaves its outpoint, and one that arrives while an open transaction spends it is reserved.
CREATE TABLE kept_inputs(
  transaction_id TEXT NOT NULL,
  output_index INTEGER NOT NULL,
  spender INTEGER NOT NULL REFERENCES transactions(id),
  PRIMARY KEY(transaction_id, output_index, spender)
) STRICT, WITHOUT ROWID;
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
