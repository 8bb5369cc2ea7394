import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import {
  bodyOf,
  manifestWith,
  NETWORK,
  operationRequest,
  operationRequests,
  outpoint,
  person,
} from '../../test/transaction-fixture.ts';
import { fromHex } from '../base/bytes.ts';
import { init } from '../entry/node.ts';
import { parseManifest } from '../manifest/manifest.ts';
import { encodeAddress } from '../text/address.ts';
import { decodeBody } from './decode.ts';
import { transactionId } from './inspect-body.ts';
import { makeSpendMessage, operationMessage, possessionMessage, spendMessage } from './messages.ts';

await init();
const manifest = manifestWith();

function hash(label: string, ...parts: Uint8Array[]): Uint8Array {
  const hasher = createHash('sha384').update(label);
  for (const part of parts) hasher.update(part);
  return new Uint8Array(hasher.digest());
}

function idOf(body: Uint8Array): Uint8Array {
  return fromHex(transactionId(body, manifest.json));
}

function previous(amount: string, address = person(0).address): string {
  return JSON.stringify({ address, amount });
}

test('[WASM-03] a spend message covers id, input, address and amount', () => {
  const body = bodyOf({ inputs: [outpoint(0), outpoint(1), outpoint(2)] }, manifest);
  const amount = Buffer.from('0100000000000000', 'hex');
  for (const index of [0, 1, 2]) {
    const expected = hash(
      'SVC_SPEND_V1',
      idOf(body),
      Uint8Array.of(index),
      person(0).addressBytes,
      amount,
    );
    assert.deepEqual(spendMessage(body, index, previous('1'), manifest.json), expected);
    const rules = parseManifest(manifest.json);
    const spent = { address: person(0).address, amount: '1' };
    assert.deepEqual(makeSpendMessage(decodeBody(body, rules), index, spent, rules), expected);
  }
  const messages = [
    spendMessage(body, 0, previous('1'), manifest.json),
    spendMessage(body, 1, previous('1'), manifest.json),
    spendMessage(body, 0, previous('2'), manifest.json),
    spendMessage(body, 0, previous('1', person(1).address), manifest.json),
    spendMessage(bodyOf({}, manifest), 0, previous('1'), manifest.json),
  ];
  assert.equal(new Set(messages.map((message) => Buffer.from(message).toString('hex'))).size, 5);
});

test('[WASM-03] operation and possession messages are hashes of the id', () => {
  for (const operation of operationRequests()) {
    const body = bodyOf({ operation }, manifest);
    const expected = hash('SVC_OPERATION_V1', idOf(body));
    assert.deepEqual(operationMessage(body, manifest.json), expected, operation.type);
    if (!('consensus_public_key_hex' in operation.data)) {
      assert.throws(() => possessionMessage(body, manifest.json), {
        code: 'possession_unexpected',
      });
      continue;
    }
    const keyHash = hash('SVC_KEY_V1', person(9).publicKey);
    const possession = hash('SVC_POSSESSION_V1', idOf(body), keyHash);
    assert.deepEqual(possessionMessage(body, manifest.json), possession, operation.type);
  }
});

test('a body without an operation has no operation message', () => {
  const body = bodyOf({}, manifest);
  assert.throws(() => operationMessage(body, manifest.json), { code: 'no_operation' });
  assert.throws(() => possessionMessage(body, manifest.json), { code: 'possession_unexpected' });
});

test('an input that is not there has no spend message', () => {
  const body = bodyOf({}, manifest);
  for (const index of [1, -1, 0.5, 256, Number.NaN, Number.POSITIVE_INFINITY]) {
    const make = () => spendMessage(body, index, previous('1'), manifest.json);
    assert.throws(make, { name: 'SvcError', code: 'out_of_range', path: 'index' });
  }
  const make = () => spendMessage(body, '0' as unknown as number, previous('1'), manifest.json);
  assert.throws(make, { name: 'SvcError', code: 'bad_type', path: 'index' });
});

test('a previous output has an address that can be spent from and an amount', () => {
  const body = bodyOf({}, manifest);
  const burn = encodeAddress(Uint8Array.of(2, ...new Uint8Array(48)), NETWORK);
  const foreign = encodeAddress(person(0).addressBytes, 'testnet');
  const table: [string, string][] = [
    [previous('1', burn), 'unspendable_output'],
    [previous('1', foreign), 'wrong_network'],
    [previous('0'), 'zero_amount'],
    [previous('20000000000000001'), 'amount_too_large'],
    ['{}', 'missing_field'],
    ['[]', 'bad_type'],
    ['', 'bad_json'],
    [JSON.stringify({ address: person(0).address, amount: 1 }), 'bad_type'],
    [JSON.stringify({ address: person(0).address, amount: '1', height: 1 }), 'unknown_field'],
  ];
  for (const [text, code] of table) {
    const make = () => spendMessage(body, 0, text, manifest.json);
    assert.throws(make, { name: 'SvcError', code }, text);
  }
});

test('[WASM-12] no message is made for a body bound elsewhere', () => {
  const other = manifestWith({ min_fee_per_mass: 11n });
  const body = bodyOf({ operation: operationRequest('rotate_key') }, other);
  const code = 'wrong_rules';
  assert.throws(() => spendMessage(body, 0, previous('1'), manifest.json), { code });
  assert.throws(() => operationMessage(body, manifest.json), { code });
  assert.throws(() => possessionMessage(body, manifest.json), { code });
});
