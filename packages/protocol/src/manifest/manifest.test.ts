import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { ErrorCode } from '../base/error-codes.ts';
import { init } from '../entry/node.ts';
import { createManifest, parseManifest, validateManifest } from './manifest.ts';

await init();

const CHAIN_ID = new Uint8Array(48).fill(0x5a);

function document(): Record<string, unknown> {
  return JSON.parse(createManifest('development', CHAIN_ID).json) as Record<string, unknown>;
}

function refuses(changes: Record<string, unknown>, code: ErrorCode, path: string): void {
  const text = JSON.stringify({ ...document(), ...changes });
  assert.throws(() => validateManifest(text), { name: 'SvcError', code, path }, text);
}

test('[WASM-01] a manifest that keeps every rule comes back in its canonical form', () => {
  const canonical = createManifest('development', CHAIN_ID).json;
  assert.equal(validateManifest(canonical), canonical);
  const shuffled = Object.fromEntries(Object.entries(document()).reverse());
  assert.equal(validateManifest(JSON.stringify(shuffled, null, 2)), canonical);
});

test('[WASM-01] rules_id is the labelled hash of the rules', () => {
  const rules = Buffer.alloc(1 + 5 * 4 + 4 * 8);
  rules.writeUInt8(4, 0);
  for (const [i, value] of [1, 60000, 8, 16, 8192].entries()) rules.writeUInt32LE(value, 1 + 4 * i);
  for (const [i, value] of [120n, 3000n, 500n, 10n].entries()) {
    rules.writeBigUInt64LE(value, 21 + 8 * i);
  }
  const expected = createHash('sha384').update('SVC_RULES_V1').update(rules).digest('hex');
  assert.equal(document()['rules_id'], expected);
});

test('[WASM-01] a changed rule with an unchanged rules_id is refused', () => {
  for (const name of ['max_inputs', 'max_outputs', 'mass_per_output', 'min_fee_per_mass']) {
    refuses({ [name]: '1' }, 'wrong_rules', 'manifest.rules_id');
  }
  refuses({ network: 'testnet' }, 'wrong_rules', 'manifest.rules_id');
  refuses({ rules_id: '00'.repeat(48) }, 'wrong_rules', 'manifest.rules_id');
});

test('limits above what the kernel knows are refused, the limits themselves are not', () => {
  const highest = {
    max_transaction_bytes: 60_000n,
    max_inputs: 8n,
    max_outputs: 16n,
    max_payload_bytes: 8192n,
    max_validity_cuts: 120n,
    mass_per_signature: 1_000_000n,
    mass_per_output: 1_000_000n,
    min_fee_per_mass: 1_000_000n,
  };
  assert.ok(createManifest('development', CHAIN_ID, highest));
  for (const [name, value] of Object.entries(highest)) {
    refuses({ [name]: String(value + 1n) }, 'out_of_range', `manifest.${name}`);
    assert.throws(() => createManifest('development', CHAIN_ID, { [name]: value + 1n }), {
      code: 'out_of_range',
    });
    assert.throws(() => createManifest('development', CHAIN_ID, { [name]: -1n }), {
      code: 'bad_integer',
    });
  }
});

test('a window may be one interval long, which differs between networks', () => {
  assert.equal(createManifest('mainnet', CHAIN_ID).rules.max_validity_cuts, 34_560n);
  assert.equal(createManifest('testnet', CHAIN_ID).rules.max_validity_cuts, 34_560n);
  assert.equal(createManifest('testnet100', CHAIN_ID).rules.max_validity_cuts, 360n);
  assert.throws(() => createManifest('testnet100', CHAIN_ID, { max_validity_cuts: 361n }), {
    code: 'out_of_range',
  });
});

test('[WASM-13] the network is one of four', () => {
  for (const network of ['mainnet', 'testnet', 'testnet100', 'development'] as const) {
    const { json } = createManifest(network, CHAIN_ID);
    assert.equal(parseManifest(json).network, network);
  }
  for (const network of ['Mainnet', 'regtest', '', 'toString', '__proto__', 4, null]) {
    refuses({ network }, 'wrong_network', 'manifest.network');
  }
});

test('versions other than 1 are refused', () => {
  for (const version of ['0', '2', '4294967295']) {
    refuses({ protocol_version: version }, 'unsupported_version', 'manifest.protocol_version');
  }
  refuses({ protocol_version: 1 }, 'bad_type', 'manifest.protocol_version');
  refuses({ api_version: 2 }, 'unsupported_version', 'manifest.api_version');
  refuses({ api_version: '1' }, 'bad_type', 'manifest.api_version');
});

test('every field must be there, with its type, and no other', () => {
  const names = Object.keys(document());
  assert.equal(names.length, 13);
  for (const name of names) {
    const rest = document();
    delete rest[name];
    assert.throws(() => validateManifest(JSON.stringify(rest)), { code: 'missing_field' }, name);
    for (const wrong of [{}, [], true, 1.5]) {
      const text = JSON.stringify({ ...document(), [name]: wrong });
      assert.throws(() => validateManifest(text), { name: 'SvcError' }, text);
    }
  }
  refuses({ extra: '1' }, 'unknown_field', 'manifest.extra');
  for (const id of ['', '5A'.repeat(48), '5a'.repeat(47), 'zz'.repeat(48)]) {
    refuses({ chain_id: id }, 'bad_hex', 'manifest.chain_id');
  }
});

test('what is no JSON object is refused without a TypeError', () => {
  for (const text of ['', '{', 'null', '[]', '1', '"x"', '{"a":1,"a":1}', '['.repeat(50_000)]) {
    assert.throws(() => validateManifest(text), { name: 'SvcError' }, text.slice(0, 20));
  }
  for (const value of [undefined, null, 1, {}, Symbol.iterator]) {
    assert.throws(() => validateManifest(value as never), { name: 'SvcError' });
  }
});

test('a refused manifest does not replace the one remembered', () => {
  const { json } = createManifest('testnet', CHAIN_ID);
  const before = parseManifest(json);
  assert.throws(() => parseManifest('{}'));
  assert.equal(parseManifest(json), before);
});
