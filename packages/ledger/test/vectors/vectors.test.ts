/**
 * The frozen vectors of the ledger, met by its code, and read a second time from `docs/protocol.md`.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  LEDGER_VECTORS_URL,
  STATE_DIGESTS_URL,
  textOfLedgerVectors,
  textOfStateDigests,
} from './file.ts';

const text = readFileSync(LEDGER_VECTORS_URL, 'utf8');
const vectors = JSON.parse(text);
interface OutcomeRow {
  readonly transaction_id: string;
  readonly fee: string;
  readonly note_hash: string;
  readonly payers: readonly string[];
}

interface HistoryRow {
  readonly cut_id: string;
  readonly history_root: string;
}

const hex = (value: string): Buffer => Buffer.from(value, 'hex');

function hash(label: string, ...parts: readonly Uint8Array[]): string {
  return createHash('sha384')
    .update(Buffer.concat([Buffer.from(label), ...parts]))
    .digest('hex');
}

/** The tree over digests, `docs/protocol.md` 8.8. */
function treeOver(leaves: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(48)] = leaves;
  if (leaves.length < 2) return first;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  const parts = [leaves.slice(0, split), leaves.slice(split)];
  return hex(hash('SVC_LIST_V1', ...parts.map(treeOver)));
}

function rootOver(leaves: readonly Buffer[]): string {
  return hash('SVC_LIST_ROOT_V1', unsigned(String(leaves.length), 8), treeOver(leaves));
}

function listRoot(label: string, leaves: readonly Uint8Array[]): string {
  return rootOver(leaves.map((leaf) => hex(hash(label, leaf))));
}

function unsigned(value: string, bytes: number): Buffer {
  const digits = BigInt(value)
    .toString(16)
    .padStart(2 * bytes, '0');
  return hex(digits).reverse();
}

test('ledger.json is what the code makes', () => {
  assert.ok(text === textOfLedgerVectors(), 'ledger.json differs from what the code makes');
});

test('every encoding of the ledger has its frozen digest, and is read as docs/protocol.md says', () => {
  assert.equal(textOfStateDigests(), readFileSync(STATE_DIGESTS_URL, 'utf8'));
});

test('ledger vectors: ids, outcomes, chain id and state root by OpenSSL', () => {
  const { changes, genesis, histories, identifiers, outcomes } = vectors;
  const id = hex(identifiers.transaction_id);
  assert.equal(hash('SVC_POSITION_V1', id), identifiers.position_id);
  assert.equal(hash('SVC_VALIDATOR_V1', id), identifiers.validator_id);
  const kinds = ['genesis', 'work_reward', 'stake_reward', 'stake_return', 'genesis_bond'];
  for (const { kind, height, index, id: payout } of identifiers.payouts) {
    const number = unsigned(String(kinds.indexOf(kind)), 1);
    const chain = kind === 'genesis_bond' ? [] : [hex(identifiers.chain_id)];
    const data = [...chain, unsigned(height, 8), number, unsigned(index, 4)];
    assert.equal(hash('SVC_PAYOUT_V1', ...data), payout);
  }
  for (const { outcomes: list, outcome_root } of outcomes) {
    const entries = list.map(
      ({ transaction_id, fee, note_hash, payers }: OutcomeRow, index: number) =>
        Buffer.concat([
          hex(transaction_id),
          Uint8Array.of(index + 1),
          unsigned(fee, 8),
          note_hash === '' ? Buffer.alloc(48) : hex(note_hash),
          Uint8Array.of(payers.length),
          ...payers.map(hex),
        ]),
    );
    assert.equal(listRoot('SVC_OUTCOME_V1', entries), outcome_root);
  }
  for (const { leaves, changes_root } of changes)
    assert.equal(listRoot('SVC_CHANGE_V1', leaves.map(hex)), changes_root);
  const cutIds = histories.map(({ cut_id }: HistoryRow) => hex(cut_id));
  histories.forEach(({ history_root }: HistoryRow, last: number) => {
    assert.equal(rootOver(cutIds.slice(0, last + 1)), history_root);
  });
  assert.equal(hash('SVC_GENESIS_V1', hex(genesis.encoded_hex)), genesis.chain_id);
  const { outputs, positions, validators, keys } = genesis.trees;
  const trees = [outputs, positions, validators, keys].map(hex);
  assert.equal(hash('SVC_STATE_V1', ...trees, hex(genesis.totals_root)), genesis.state_root);
});
