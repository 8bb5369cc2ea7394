/**
 * Varints, rules ids, addresses and key derivation of the frozen vectors, computed again from
 * `docs/protocol.md` with OpenSSL and bech32m alone.
 */
import assert from 'node:assert/strict';
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { test } from 'node:test';
import { bech32m } from '@scure/base';
import { readVectors } from './documents.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

function hash(label: string, ...parts: readonly Uint8Array[]): Buffer {
  return createHash('sha384')
    .update(Buffer.concat([Buffer.from(label), ...parts]))
    .digest();
}

function unsigned(value: string, bytes: number): Buffer {
  const digits = BigInt(value)
    .toString(16)
    .padStart(2 * bytes, '0');
  return hex(digits).reverse();
}

test('varints: seven bits a byte, lowest first', () => {
  const { varints } = JSON.parse(readVectors('hashing.json'));
  for (const { value, varint_hex } of varints) {
    const bytes = [...hex(varint_hex)];
    const sum = bytes.reduce((all, byte, index) => all + (byte & 127) * 2 ** (7 * index), 0);
    assert.equal(String(sum), value);
    assert.deepEqual(
      bytes.map((byte) => byte >> 7),
      bytes.map((_, index) => (index < bytes.length - 1 ? 1 : 0)),
    );
  }
});

test('manifests: the rules id by OpenSSL', () => {
  const codes: Record<string, number> = { mainnet: 1, testnet: 2, testnet100: 3, development: 4 };
  const { manifests } = JSON.parse(readVectors('manifests.json'));
  for (const manifest of manifests as Record<string, string>[]) {
    const numbers = (bytes: number, ...names: string[]) =>
      names.map((name) => unsigned(manifest[name] ?? '', bytes));
    const id = hash(
      'SVC_RULES_V1',
      Uint8Array.of(codes[manifest['network'] ?? ''] ?? 0),
      ...numbers(4, 'protocol_version', 'max_transaction_bytes', 'max_inputs', 'max_outputs'),
      ...numbers(4, 'max_payload_bytes'),
      ...numbers(8, 'max_validity_cuts', 'mass_per_signature', 'mass_per_output'),
      ...numbers(8, 'min_fee_per_mass'),
    );
    assert.equal(id.toString('hex'), manifest['rules_id']);
  }
});

test('addresses: hashes by OpenSSL, text by bech32m', () => {
  const prefixes = { mainnet: 'svc', testnet: 'tsvc', testnet100: 'hsvc', development: 'dsvc' };
  const { addresses } = JSON.parse(readVectors('addresses.json'));
  for (const { type, address_hex, texts, ...rest } of addresses) {
    const hashes: Record<string, () => Buffer> = {
      key: () => hash('SVC_KEY_V1', hex(rest.public_key_hex)),
      multisig: () =>
        hash(
          'SVC_MULTISIG_V1',
          Uint8Array.of(Number(rest.threshold), rest.key_hashes.length),
          ...rest.key_hashes.map(hex),
        ),
      burn: () => Buffer.alloc(48),
    };
    const number = ['key', 'multisig', 'burn'].indexOf(type);
    const body = hashes[type]?.() ?? Buffer.alloc(0);
    assert.equal(address_hex, Buffer.concat([Uint8Array.of(number), body]).toString('hex'));
    for (const [network, prefix] of Object.entries(prefixes)) {
      assert.equal(texts[network], bech32m.encode(prefix, [number, ...bech32m.toWords(body)]));
    }
  }
});

test('keys: from words to the seeds of keys by OpenSSL', () => {
  const { derivations } = JSON.parse(readVectors('keys.json'));
  const domains: Record<string, number[]> = {
    mainnet: [],
    testnet: [2],
    testnet100: [3],
    development: [4],
  };
  for (const { network, words, passphrase, seed_hex, keys, ...master } of derivations) {
    const salt = `mnemonic${passphrase.normalize('NFKD')}`;
    const seed = pbkdf2Sync(words, salt, 2048, 64, 'sha512');
    assert.equal(seed.toString('hex'), seed_hex);
    const domain = Uint8Array.from(domains[network] as number[]);
    const root = createHmac('sha512', 'svc ml-dsa-65 seed').update(seed).update(domain).digest();
    assert.equal(root.toString('hex'), master.master_key_hex + master.master_chain_code_hex);
    for (const { path, key_hex } of keys) {
      let node = root;
      for (const index of path) {
        const number = unsigned(String(2 ** 31 + index), 4).reverse();
        const data = Buffer.concat([Uint8Array.of(0), node.subarray(0, 32), number]);
        node = createHmac('sha512', node.subarray(32)).update(data).digest();
      }
      assert.equal(node.subarray(0, 32).toString('hex'), key_hex);
    }
  }
});
