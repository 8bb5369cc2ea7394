import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha384 as sha384Reference } from '@noble/hashes/sha2.js';
import { ml_dsa65 as reference } from '@noble/post-quantum/ml-dsa.js';
import { toHex } from '../base/bytes.ts';
import { CONTEXTS, contextBytes } from '../base/labels.ts';
import { SvcError } from '../base/svc-error.ts';
import { init } from '../entry/node.ts';
import { mlDsa65 } from '../kernel/ml-dsa.ts';
import { deriveKey, masterNode } from './derivation.ts';
import { mnemonicFromEntropy } from './mnemonic.ts';
import { WalletRoot } from './wallet-root.ts';

await init();

const entropy = new Uint8Array(32).fill(7);
const message = new Uint8Array(48).fill(3);

function refused(code: string, call: () => unknown): void {
  assert.throws(call, (error) => {
    assert.ok(error instanceof SvcError, String(error));
    assert.equal(error.code, code);
    return true;
  });
}

function digest(bytes: Uint8Array): string {
  return toHex(sha384Reference(bytes)).slice(0, 32);
}

test('[WASM-15] keys depend on entropy, passphrase, account, branch and index, and on nothing else', () => {
  using root = WalletRoot.fromEntropy(entropy);
  using again = WalletRoot.fromEntropy(entropy);
  using other = WalletRoot.fromEntropy(new Uint8Array(32).fill(8));
  using secret = WalletRoot.fromEntropy(entropy, 'passphrase');
  const keys = [
    root.derivePublicKey(0, 0, 0),
    root.derivePublicKey(1, 0, 0),
    root.derivePublicKey(0, 1, 0),
    root.derivePublicKey(0, 0, 1),
    root.derivePublicKey(0x7fffffff, 1, 0x7fffffff),
    other.derivePublicKey(0, 0, 0),
    secret.derivePublicKey(0, 0, 0),
  ].map(digest);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(digest(again.derivePublicKey(0, 0, 0)), keys[0]);
});

test('[WASM-08] words and entropy lead to the same root', () => {
  using root = WalletRoot.fromEntropy(new Uint8Array(32), 'p');
  using words = WalletRoot.fromMnemonic(`${'ABANDON '.repeat(23)} art `, 'p');
  assert.equal(root.fingerprint(), words.fingerprint());
  assert.deepEqual(root.derivePublicKey(2, 1, 3), words.derivePublicKey(2, 1, 3));
});

test('[WASM-15] a passphrase means the same however its accents are composed', () => {
  using composed = WalletRoot.fromEntropy(entropy, 'caf\u00e9');
  using decomposed = WalletRoot.fromEntropy(entropy, 'cafe\u0301');
  assert.equal(composed.fingerprint(), decomposed.fingerprint());
});

test('[WASM-08] derived keys are frozen', () => {
  using root = WalletRoot.fromMnemonic(`${'abandon '.repeat(23)}art`);
  using secret = WalletRoot.fromMnemonic(`${'abandon '.repeat(23)}art`, 'TREZOR');
  assert.deepEqual(
    {
      fingerprint: root.fingerprint(),
      first: digest(root.derivePublicKey(0, 0, 0)),
      change: digest(root.derivePublicKey(0, 1, 0)),
      far: digest(root.derivePublicKey(0x7fffffff, 1, 0x7fffffff)),
      passphraseFingerprint: secret.fingerprint(),
      passphraseFirst: digest(secret.derivePublicKey(0, 0, 0)),
    },
    {
      fingerprint: '1f22b969b79a1d80',
      first: '9ee4858088ac449cf08dae8f1f1ad5e3',
      change: '70ca64ff75a4bf164c5a77706dfc6827',
      far: 'e8b270a37307568af48bb03ba416dd70',
      passphraseFingerprint: 'b32f87f80ac7593f',
      passphraseFirst: '7bb0a6fddfa5372a43545a63a5ef610b',
    },
  );
});

test('the same words have other keys on each network, and without a network those of mainnet', () => {
  const networks = ['mainnet', 'testnet', 'testnet100', 'development'];
  const keysOf = (network?: string) => {
    using root = WalletRoot.fromEntropy(entropy, 'tea', network);
    using same = WalletRoot.fromMnemonic(mnemonicFromEntropy(entropy), 'tea', network);
    const first = toHex(root.derivePublicKey(0, 0, 0));
    assert.equal(toHex(same.derivePublicKey(0, 0, 0)), first);
    return [root.fingerprint(), first, toHex(root.exportSeed(0, 0, 0))];
  };
  assert.equal(new Set(networks.flatMap((network) => keysOf(network))).size, 3 * networks.length);
  assert.deepEqual(keysOf(), keysOf('mainnet'));
  refused('wrong_network', () => WalletRoot.fromEntropy(entropy, '', 'main'));
});

test('[WASM-08] the published BIP-39 seed leads, by an independent ML-DSA, to the same key', () => {
  const published =
    '408b285c123836004f4b8842c89324c1f01382450c0d439af345ba7fc49acf705489c6fc77dbd4e3dc1dd8cc6bc9f043db8ada1e243c4a0eafb290d399480840';
  const master = masterNode(Uint8Array.from(Buffer.from(published, 'hex')));
  using root = WalletRoot.fromMnemonic(`${'abandon '.repeat(23)}art`);
  const { publicKey } = reference.keygen(deriveKey(master, [204, 5, 1, 9]));
  assert.deepEqual(root.derivePublicKey(5, 1, 9), publicKey);
});

test('[WASM-08] [WASM-15] signing is hedged, and each use has a context of its own', () => {
  using root = WalletRoot.fromEntropy(entropy);
  const publicKey = root.derivePublicKey(0, 0, 0);
  const signatures = {
    spend: root.sign(0, 0, 0, message, true),
    operation: root.sign(0, 0, 0, message, false),
    possession: root.signPossession(0, 0, 0, message),
  };
  assert.notDeepEqual(root.sign(0, 0, 0, message, true), signatures.spend);
  for (const [use, signature] of Object.entries(signatures)) {
    for (const [name, text] of Object.entries(CONTEXTS)) {
      const context = contextBytes(text);
      const holds = mlDsa65.verify(publicKey, message, signature, { context });
      assert.equal(holds, use === name, `${use} under ${name}`);
      assert.equal(reference.verify(signature, message, publicKey, { context }), holds);
    }
  }
});

test('[WASM-15] a freed root refuses every use, and freeing twice is harmless', () => {
  const root = WalletRoot.fromEntropy(entropy);
  root.free();
  root.free();
  root[Symbol.dispose]();
  refused('freed', () => root.copy('mainnet'));
  refused('freed', () => root.fingerprint());
  refused('freed', () => root.derivePublicKey(0, 0, 0));
  refused('freed', () => root.sign(0, 0, 0, message, true));
  refused('freed', () => root.signPossession(0, 0, 0, message));
  refused('freed', () => root.proveAddress(0, 0, 0, '{}'));
  refused('freed', () => root.messengerId(0, 0, 0, 'mainnet'));
  refused('freed', () => root.messengerRequest(0, '{}'));
  refused('freed', () => root.messengerAccept(0, '{}'));
  refused('freed', () => root.messengerMessage(0, '{}'));
  refused('freed', () => root.messengerChats(0, '{}'));
});

test('[WASM-15] freeing a root leaves zeros where its secret was', (t) => {
  const targets: Uint8Array[] = [];
  const set = Uint8Array.prototype.set;
  t.mock.method(Uint8Array.prototype, 'set', function (this: Uint8Array, ...args: [Uint8Array]) {
    if (this.length === 64) targets.push(this);
    set.apply(this, args);
  });
  const root = WalletRoot.fromEntropy(entropy);
  t.mock.restoreAll();
  const secrets = targets.filter((bytes) => bytes.some((byte) => byte !== 0));
  assert.ok(secrets.length > 0);
  root.free();
  assert.ok(secrets.every((bytes) => bytes.every((byte) => byte === 0)));
});

test('a copy has the same keys and a life of its own, and stays on its network', () => {
  const root = WalletRoot.fromEntropy(entropy, '', 'testnet');
  refused('wrong_network', () => root.copy('mainnet'));
  using copy = root.copy('testnet');
  const fingerprint = root.fingerprint();
  root.free();
  assert.equal(copy.fingerprint(), fingerprint);
});

test('a root leaves with its scope', () => {
  let escaped: WalletRoot;
  {
    using root = WalletRoot.fromEntropy(entropy);
    escaped = root;
    assert.equal(escaped.fingerprint().length, 16);
  }
  refused('freed', () => escaped.fingerprint());
});

test('keys are the same in whatever order they are asked for, and callers cannot change what is kept', () => {
  using root = WalletRoot.fromMnemonic(`${'abandon '.repeat(23)}art`);
  // More branches than are kept, each of them twice.
  const paths = [0, 1, 2, 3, 0, 1, 2, 3].flatMap((account) =>
    [0, 1].map((branch) => [account, branch] as const),
  );
  const seen = new Map<string, string>();
  for (const [account, branch] of paths) {
    using fresh = WalletRoot.fromMnemonic(`${'abandon '.repeat(23)}art`);
    const key = root.derivePublicKey(account, branch, 5);
    assert.deepEqual(key, fresh.derivePublicKey(account, branch, 5));
    seen.set(`${account}/${branch}`, toHex(key));
    root.sign(account, branch, 5, new Uint8Array(48), true);
    root.derivePublicKey(account, branch, 5).fill(0);
    assert.deepEqual(root.derivePublicKey(account, branch, 5), key);
  }
  assert.equal(new Set(seen.values()).size, 8);
});

test('paths outside the ranges are refused', () => {
  using root = WalletRoot.fromEntropy(entropy);
  const bad: readonly (readonly [unknown, unknown, unknown])[] = [
    [-1, 0, 0],
    [2 ** 31, 0, 0],
    [0, 2, 0],
    [0, -1, 0],
    [0, 0, 2 ** 31],
    [0.5, 0, 0],
    [Number.NaN, 0, 0],
    ['0', 0, 0],
    [0, true, 0],
    [0, 0, undefined],
    [0n, 0, 0],
    [{}, 0, 0],
  ];
  for (const [account, branch, index] of bad) {
    const areNumbers = [account, branch, index].every((value) => typeof value === 'number');
    refused(areNumbers ? 'out_of_range' : 'bad_type', () =>
      root.derivePublicKey(account as number, branch as number, index as number),
    );
  }
});

test('messages of another length and flags that are no flags are refused', () => {
  using root = WalletRoot.fromEntropy(entropy);
  for (const length of [0, 47, 49, 64]) {
    refused('bad_length', () => root.sign(0, 0, 0, new Uint8Array(length), true));
    refused('bad_length', () => root.signPossession(0, 0, 0, new Uint8Array(length)));
  }
  refused('bad_type', () => root.sign(0, 0, 0, 'message' as unknown as Uint8Array, true));
  for (const spend of [undefined, 0, 1, 'true', null]) {
    refused('bad_type', () => root.sign(0, 0, 0, message, spend as unknown as boolean));
  }
});

test('bad words, entropy and passphrases are refused', () => {
  refused('bad_mnemonic', () => WalletRoot.fromMnemonic('abandon'));
  refused('bad_mnemonic', () => WalletRoot.fromMnemonic('abandon '.repeat(24)));
  refused('bad_length', () => WalletRoot.fromEntropy(new Uint8Array(31)));
  refused('bad_text', () => WalletRoot.fromEntropy(entropy, '\ud800'));
  refused('bad_text', () => WalletRoot.fromEntropy(entropy, 'a'.repeat(257)));
  refused('bad_type', () => WalletRoot.fromEntropy(entropy, null as unknown as string));
});

test('an exported seed gives the key pair of its path; a freed root exports nothing', () => {
  const root = WalletRoot.fromEntropy(entropy);
  const seed = root.exportSeed(0, 0, 0x7fffffff);
  assert.deepEqual(mlDsa65.keygen(seed).publicKey, root.derivePublicKey(0, 0, 0x7fffffff));
  refused('out_of_range', () => root.exportSeed(0, 2, 0));
  root.free();
  refused('freed', () => root.exportSeed(0, 0, 0));
});
