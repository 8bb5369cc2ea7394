import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init, WalletRoot } from 'svc-wasm';
import { type SignedAddressList, signAddressList, verifyAddressList } from './address-list.ts';

test('a list holds as its wallet signed it, and no part of it can be changed', async () => {
  await init();
  using root = WalletRoot.fromEntropy(new Uint8Array(32).fill(7));
  using other = WalletRoot.fromEntropy(new Uint8Array(32).fill(8));
  const list = signAddressList(root, 'development', 1, ['till 1', null]);
  verifyAddressList(list);
  const [a, b] = list.addresses;
  assert.ok(a !== undefined && b !== undefined);
  assert.deepEqual([a.label, b.label], ['till 1', null]);
  const foreign = signAddressList(other, 'development', 1, ['till 1', null]);
  const changes: Partial<SignedAddressList>[] = [
    { first: 2 },
    { addresses: [b, a] },
    { addresses: [a] },
    { addresses: [a, { ...b, label: 'till 2' }] },
    { addresses: [a, { ...b, address: foreign.signer }] },
    { signer: foreign.signer },
    { network: 'testnet' },
    { public_key_hex: foreign.public_key_hex },
    { signature_hex: foreign.signature_hex },
  ];
  for (const change of changes)
    assert.throws(() => verifyAddressList({ ...list, ...change }), { name: 'SvcError' });
});
