import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromHex, toHex } from '../base/bytes.ts';
import { deriveKey, deriveNode, INDEX_MAX, masterNode } from './derivation.ts';

const seed = fromHex('000102030405060708090a0b0c0d0e0f');

test('with its master key string the derivation is that of SLIP-10 for ed25519', () => {
  const master = masterNode(seed, 'ed25519 seed');
  const table: readonly (readonly [readonly number[], string])[] = [
    [[], '2b4be7f19ee27bbf30c667b642d5f4aa69fd169872f8fc3059c08ebae2eb19e7'],
    [[0], '68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a3'],
    [[0, 1], 'b1d0bad404bf35da785a64ca1ac54b2617211d2777696fbffaf208f746ae84f2'],
  ];
  for (const [path, key] of table) assert.equal(toHex(deriveKey(master, path)), key);
});

test('our own master key string gives other keys', () => {
  assert.notDeepEqual(masterNode(seed), masterNode(seed, 'ed25519 seed'));
});

test('a path is walked one hardened step at a time and the start stays as it is', () => {
  const master = masterNode(seed);
  const before = toHex(master);
  const stepwise = deriveNode(deriveNode(master, [204, 0]), [1, INDEX_MAX]);
  assert.deepEqual(deriveNode(master, [204, 0, 1, INDEX_MAX]), stepwise);
  assert.equal(toHex(master), before);
});
