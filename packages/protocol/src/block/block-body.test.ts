import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededBytes } from '../../test/seeded-bytes.ts';
import { expectRefused } from '../../test/testing/expect-refused.ts';
import { manifestWith, outpoint, person, signAll } from '../../test/transaction-fixture.ts';
import { concatBytes, fromHex } from '../base/bytes.ts';
import { LABELS } from '../base/labels.ts';
import { init } from '../entry/node.ts';
import { hashLabel } from '../kernel/hash-label.ts';
import { decodeTransaction } from '../transaction/decode.ts';
import { inspectTransaction } from '../transaction/inspect-transaction.ts';
import type { BlockBody } from './block-body.ts';
import { decodeBlockBody, encodeBlockBody } from './block-body.ts';
import { encodeBlockHeader } from './block-header.ts';
import { encodeExtranonce } from './extranonce.ts';
import { decodeWorkBlock } from './work-block.ts';

await init();

const MANIFEST = manifestWith();
const WIRES = [0, 1, 2].map(
  (index) => signAll({ inputs: [outpoint(2 * index), outpoint(2 * index + 1)] }, MANIFEST).wire,
);
const PARENTS = Array.from({ length: 9 }, (_, index) => seededBytes(`parent ${index}`, 48));
const BODY: BlockBody = {
  payout: person(3).addressBytes,
  extranonce: encodeExtranonce('miner', seededBytes('free', 11)),
  parents: PARENTS.slice(0, 2),
  transactions: WIRES,
};

function decode(change: Partial<BlockBody> = {}) {
  return decodeBlockBody(encodeBlockBody({ ...BODY, ...change }), MANIFEST);
}

test('a body comes back as it was, with its roots, its mass and the ids of its transactions', () => {
  const bytes = encodeBlockBody(BODY);
  const decoded = decodeBlockBody(bytes, MANIFEST);
  const inspected = WIRES.map((wire) => JSON.parse(inspectTransaction(wire, MANIFEST.json)));
  assert.deepEqual(decoded, {
    payout: BODY.payout,
    extranonce: BODY.extranonce,
    parents: BODY.parents,
    transactions: WIRES.map((wire, index) => ({
      id: fromHex(inspected[index].transaction_id),
      wire,
      table: decodeTransaction(wire, MANIFEST),
    })),
    bodyRoot: hashLabel(LABELS.body, bytes),
    parentsRoot: hashLabel(LABELS.parents, Uint8Array.of(2), ...BODY.parents),
    payoutCommitment: hashLabel(LABELS.payee, BODY.payout),
    mass: inspected.reduce((sum, { mass }) => sum + BigInt(mass), 0n),
  });
});

test('bodies without transactions and with 1 or 8 parents are allowed', () => {
  assert.equal(decode({ transactions: [] }).mass, 0n);
  assert.equal(decode({ parents: PARENTS.slice(0, 1) }).parents.length, 1);
  assert.equal(decode({ parents: PARENTS.slice(0, 8) }).parents.length, 8);
});

test('parents: none, nine, or one twice are refused', () => {
  expectRefused(() => decode({ parents: [] }), 'bad_block', 'body');
  expectRefused(() => decode({ parents: PARENTS }), 'bad_block', 'body');
  const [first, second] = PARENTS as [Uint8Array, Uint8Array];
  expectRefused(() => decode({ parents: [first, second, first] }), 'bad_block', 'body');
});

test('the payout address has a known type, and the extranonce follows its rule', () => {
  const burn = new Uint8Array(49).fill(2, 0, 1);
  assert.deepEqual(decode({ payout: burn }).payout, burn);
  expectRefused(() => decode({ payout: burn.fill(3, 0, 1) }), 'bad_address', 'body');
  const extranonce = BODY.extranonce.slice();
  extranonce[1] = 0;
  expectRefused(() => decode({ extranonce }), 'bad_block', 'body');
});

test('a transaction twice, and an output spent twice, are refused and blamed', () => {
  const [first, second] = WIRES as [Uint8Array, Uint8Array];
  const twice = () => decode({ transactions: [first, second, first] });
  expectRefused(twice, 'bad_block', 'body.transactions[2]');
  const overlapping = signAll({ inputs: [outpoint(9), outpoint(3)] }, MANIFEST).wire;
  const conflict = () => decode({ transactions: [first, second, overlapping] });
  expectRefused(conflict, 'bad_block', 'body.transactions[2]');
});

test('a malformed transaction is blamed by its place', () => {
  const [first] = WIRES as [Uint8Array];
  const other = signAll({}, manifestWith({ mass_per_output: 1n })).wire;
  const at = 'body.transactions[1]';
  expectRefused(() => decode({ transactions: [first, other] }), 'wrong_rules', at);
  const short = first.subarray(0, 400);
  expectRefused(() => decode({ transactions: [first, short] }), 'truncated', at);
  expectRefused(() => decode({ transactions: [first, new Uint8Array(0)] }), 'truncated', at);
  const long = new Uint8Array(60_001);
  expectRefused(
    () => decode({ transactions: [long] }),
    'transaction_too_large',
    'body.transactions[0]',
  );
});

test('at most 64,000 bytes, at most 1,024 transactions, nothing behind them', () => {
  expectRefused(() => decodeBlockBody(new Uint8Array(64_001), MANIFEST), 'bad_length', 'body');
  const bytes = encodeBlockBody({ ...BODY, transactions: [] });
  expectRefused(() => decodeBlockBody(concatBytes(bytes, bytes), MANIFEST), 'trailing_bytes');
  const many = concatBytes(bytes.subarray(0, -1), Uint8Array.of(0x81, 0x08));
  expectRefused(() => decodeBlockBody(many, MANIFEST), 'bad_block', 'body');
  for (let length = 0; length < bytes.length; length++) {
    expectRefused(() => decodeBlockBody(bytes.subarray(0, length), MANIFEST), 'truncated', 'body');
  }
  const version = bytes.slice().fill(2, 0, 1);
  expectRefused(() => decodeBlockBody(version, MANIFEST), 'unsupported_version');
});

test('a header commits to body, parents, payout and extranonce', () => {
  const body = encodeBlockBody(BODY);
  const decoded = decodeBlockBody(body, MANIFEST);
  const header = {
    anchorHeight: 5n,
    anchorCutId: seededBytes('anchor', 48),
    target: seededBytes('target', 32),
    nonce: seededBytes('nonce', 24),
    extranonce: BODY.extranonce,
    bodyRoot: decoded.bodyRoot,
    parentsRoot: decoded.parentsRoot,
    payoutCommitment: decoded.payoutCommitment,
  };
  const check = (change: Partial<typeof header>) => () =>
    decodeWorkBlock(encodeBlockHeader({ ...header, ...change }, MANIFEST.chainId), body, MANIFEST);
  assert.equal(check({})().body.transactions.length, 3);
  const bytes = encodeBlockHeader(header, MANIFEST.chainId);
  const hashed = hashLabel(LABELS.body, body);
  const whole = decodeWorkBlock(bytes, body, MANIFEST, hashed);
  assert.deepEqual(whole, check({})());
  for (const { wire } of whole.body.transactions) assert.equal(wire.buffer, body.buffer);
  const other = seededBytes('other', 48);
  expectRefused(check({ bodyRoot: other }), 'bad_block', 'header.bodyRoot');
  const withOther = () => decodeWorkBlock(bytes, body, MANIFEST, other);
  expectRefused(withOther, 'bad_block', 'header.bodyRoot');
  expectRefused(check({ parentsRoot: other }), 'bad_block', 'header.parentsRoot');
  expectRefused(check({ payoutCommitment: other }), 'bad_block', 'header.payoutCommitment');
  const extranonce = encodeExtranonce('thief', seededBytes('free', 11));
  expectRefused(check({ extranonce }), 'bad_block', 'header.extranonce');
});
