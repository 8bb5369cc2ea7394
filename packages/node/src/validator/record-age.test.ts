import assert from 'node:assert/strict';
import { test } from 'node:test';
import { height, type SignState } from 'svc-consensus/machine';
import { isOlderThanChain } from './start-validator.ts';

const CERTIFICATE = { height: height(100), signers: 0b0101n };

function record(
  last: number | undefined,
  silentThrough = 0,
): Pick<SignState, 'silentThrough' | 'last'> {
  const position = { height: height(last ?? 0), round: 0, step: 2 };
  const signed = { ...position, signedBytes: new Uint8Array(0), signature: new Uint8Array(0) };
  return {
    silentThrough: height(silentThrough),
    last: last === undefined ? undefined : (signed as SignState['last']),
  };
}

test('a record that ends before a signature which the chain holds was put back from a copy', () => {
  const table: [ReturnType<typeof record>, number | undefined, boolean, string][] = [
    [record(100), 0, false, 'the record has the signature'],
    [record(101), 0, false, 'the record is ahead of the chain'],
    [record(99), 0, true, 'the record is one height older'],
    [record(undefined), 2, true, 'the record of a new key, and the key has signed'],
    [record(99), 1, false, 'the certificate does not name the key'],
    [record(99), undefined, false, 'the key has no seat'],
    [record(undefined, 148), 0, false, 'a new record is silent: the old one is known to be lost'],
    [record(40, 99), 0, true, 'a silence that has ended explains nothing'],
  ];
  for (const [one, own, expected, why] of table)
    assert.equal(isOlderThanChain(one, CERTIFICATE, own), expected, why);
  assert.equal(isOlderThanChain(record(undefined), undefined, 0), false, 'no cut is final yet');
});
