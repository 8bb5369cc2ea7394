/** Accounts of words, and accounts of a wallet root. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init, mnemonicFromEntropy, WalletRoot } from 'svc-wasm';
import { Account } from './account.ts';

const MESSAGE = new Uint8Array(48);

await init();
const WORDS = mnemonicFromEntropy(new Uint8Array(32));

test('accounts of one root are those of its words, and each has a secret of its own', () => {
  const root = WalletRoot.fromMnemonic(WORDS, '', 'development');
  const first = new Account(root, { network: 'development' });
  const second = new Account(root, { network: 'development', index: 1 });
  const alone = new Account(WORDS, { network: 'development', index: 1 });
  assert.equal(second.address, alone.address);
  assert.notEqual(first.address, second.address);
  root.free();
  assert.throws(() => new Account(root, { network: 'development' }), { code: 'freed' });
  for (const account of [first, alone]) {
    account.free();
    assert.throws(() => account.signSpend(MESSAGE), { code: 'freed' });
  }
  assert.equal(second.signSpend(MESSAGE).length, 3_309);
});

test('a root of another network is refused', () => {
  using root = WalletRoot.fromMnemonic(WORDS, '', 'testnet');
  assert.throws(() => new Account(root, { network: 'development' }), {
    code: 'wrong_network',
    path: 'network',
  });
});
