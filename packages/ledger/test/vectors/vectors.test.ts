/**
 * The frozen vectors of the ledger, met by its code, and read a second time from `docs/protocol.md`.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { LEDGER_VECTORS_URL, textOfLedgerVectors } from './file.ts';

const text = readFileSync(LEDGER_VECTORS_URL, 'utf8');
const vectors = JSON.parse(text);
const hex = (value: string): Buffer => Buffer.from(value, 'hex');

function hash(label: string, ...parts: readonly Uint8Array[]): string {
  return createHash('sha384')
    .update(Buffer.concat([Buffer.from(label), ...parts]))
    .digest('hex');
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

test('ledger vectors: ids, outcomes, chain id and state root by OpenSSL', () => {
  const { identifiers, outcomes, genesis } = vectors;
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
      ({ transaction_id, fee }: { transaction_id: string; fee: string }, index: number) =>
        Buffer.concat([hex(transaction_id), Uint8Array.of(index + 1), unsigned(fee, 8)]),
    );
    const root = hash('SVC_OUTCOME_V1', Uint8Array.of(list.length), ...entries);
    assert.equal(root, outcome_root);
  }
  assert.equal(hash('SVC_GENESIS_V1', hex(genesis.encoded_hex)), genesis.chain_id);
  const { outputs, positions, validators, keys } = genesis.trees;
  const trees = [outputs, positions, validators, keys].map(hex);
  assert.equal(hash('SVC_STATE_V1', ...trees, hex(genesis.totals_root)), genesis.state_root);
});
