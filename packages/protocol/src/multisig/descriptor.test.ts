import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { NETWORK, person } from '../../test/transaction-fixture.ts';
import { toHex } from '../base/bytes.ts';
import { init } from '../entry/node.ts';
import { decodeAddress } from '../text/address.ts';
import {
  createMultisigDescriptor,
  multisigAddress,
  validateMultisigDescriptor,
} from './descriptor.ts';

await init();

function keys(...indexes: number[]): string[] {
  return indexes.map((index) => toHex(person(index).publicKey));
}

function create(threshold: string, ...indexes: number[]): string {
  return createMultisigDescriptor(threshold, JSON.stringify(keys(...indexes)));
}

function hashOf(label: string, data: Uint8Array | string): string {
  return createHash('sha384').update(label).update(data).digest('hex');
}

test('[WASM-04] a descriptor lists its members by ascending key hash, in whatever order they came', () => {
  const descriptor = create('2', 0, 1, 2);
  assert.equal(create('2', 2, 0, 1), descriptor);
  assert.equal(validateMultisigDescriptor(descriptor), descriptor);
  const { threshold, members } = JSON.parse(descriptor) as { threshold: string; members: string[] };
  assert.equal(threshold, '2');
  const hashes = members.map((member) => hashOf('SVC_KEY_V1', Buffer.from(member, 'hex')));
  assert.deepEqual(hashes, [...hashes].sort());
  assert.deepEqual([...members].sort(), keys(0, 1, 2).sort());
});

test('[WASM-04] the address is the hash of the policy and the key hashes', () => {
  const descriptor = create('3', 0, 1, 2, 3, 4);
  const hashes = [0, 1, 2, 3, 4].map((i) => hashOf('SVC_KEY_V1', person(i).publicKey)).sort();
  const policy = Buffer.from(`0305${hashes.join('')}`, 'hex');
  const address = decodeAddress(multisigAddress(descriptor, NETWORK), NETWORK);
  assert.equal(toHex(address), `01${hashOf('SVC_MULTISIG_V1', policy)}`);
});

test('policies other than 2 of 3 and 3 of 5 are refused', () => {
  const members = [0, 1, 2, 3, 4];
  for (let count = 0; count <= 5; count++) {
    for (const threshold of ['0', '1', '2', '3', '4', '5', '255']) {
      const allowed = `${threshold}/${count}` === '2/3' || `${threshold}/${count}` === '3/5';
      const make = () => create(threshold, ...members.slice(0, count));
      if (allowed) assert.ok(make());
      else assert.throws(make, { name: 'SvcError', code: 'bad_policy' }, `${threshold}/${count}`);
    }
  }
  assert.throws(() => create('2', 0, 1, 2, 3, 4, 5), { code: 'bad_length' });
});

test('a key that occurs twice, or members out of order, are refused', () => {
  assert.throws(() => create('2', 0, 1, 0), { code: 'bad_policy' });
  const { members } = JSON.parse(create('2', 0, 1, 2)) as { members: string[] };
  const text = JSON.stringify({ threshold: '2', members: members.reverse() });
  assert.throws(() => validateMultisigDescriptor(text), {
    code: 'bad_policy',
    path: 'descriptor.members[1]',
  });
});

test('fields of another type or beyond the descriptor are refused', () => {
  const good = JSON.parse(create('2', 0, 1, 2)) as Record<string, unknown>;
  const bad: unknown[] = [
    null,
    [],
    {},
    { ...good, threshold: 2 },
    { ...good, threshold: '02' },
    { ...good, members: 'x' },
    { ...good, members: [1, 2, 3] },
    { ...good, members: ['00', '01', '02'] },
    { ...good, network: 'mainnet' },
  ];
  for (const value of bad) {
    const text = JSON.stringify(value);
    assert.throws(() => validateMultisigDescriptor(text), { name: 'SvcError' }, text.slice(0, 60));
  }
  for (const members of ['', '{}', 'null', '[null]', '[[]]']) {
    assert.throws(() => createMultisigDescriptor('2', members), { name: 'SvcError' }, members);
  }
  assert.throws(() => createMultisigDescriptor(2 as unknown as string, '[]'), { code: 'bad_type' });
  assert.throws(() => multisigAddress(create('2', 0, 1, 2), 'nowhere'), { code: 'wrong_network' });
});
