import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outpointKey } from '../identifiers.ts';
import { outputValue, outputValues } from './leaf-values.ts';

const TRANSACTION = 'ab'.repeat(48);
const OUTPUT = { address: `00${'cd'.repeat(48)}`, amount: 0x0102030405060708n };

test('the value of an output has its index and its amount with the lowest byte first', () => {
  const index = 0x01020304;
  const key = outpointKey({ transactionId: TRANSACTION, outputIndex: index });
  assert.equal(key, `${TRANSACTION}01020304`);
  const expected = `${TRANSACTION}04030201${OUTPUT.address}0807060504030201`;
  assert.equal(Buffer.from(outputValue(key, OUTPUT)).toString('hex'), expected);
  const named = { outpoint: key, output: OUTPUT };
  assert.equal(Buffer.from(outputValues([named, named])).toString('hex'), expected + expected);
});

test('keys of outpoints order by index, and one that is remembered is taken', () => {
  const keyAt = (outputIndex: number) => outpointKey({ transactionId: TRANSACTION, outputIndex });
  const keys = [0, 9, 15, 16, 255, 65_536].map(keyAt);
  assert.deepEqual(keys, keys.toSorted());
  for (const key of keys) assert.equal(key.length, TRANSACTION.length + 8);
  assert.equal(outpointKey({ transactionId: TRANSACTION, outputIndex: 1, key: 'known' }), 'known');
});
