import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OK, TRUNCATED, UNKNOWN_PROFILE } from '../../assembly/errors.ts';
import {
  bodyOf,
  manifestWith,
  operationRequest,
  operationRequests,
  outpoint,
  person,
  signAll,
} from '../../test/transaction-fixture.ts';
import { init } from '../entry/node.ts';
import { kernel } from '../kernel/current.ts';
import { ARGUMENTS_AT, place } from './decode.ts';
import { inspectTransaction } from './inspect-transaction.ts';
import type { InputProfiles } from './profiles.ts';
import {
  quoteTransaction,
  quoteTransactionWithInputProfiles,
  quoteTransactionWithWitnesses,
} from './quote.ts';
import type { TransactionQuote } from './request.ts';
import { encodeWitnessWithProfile } from './witness.ts';

await init();
const manifest = manifestWith();

function quoteOf(wire: Uint8Array): TransactionQuote {
  const shown = JSON.parse(inspectTransaction(wire, manifest.json)) as TransactionQuote;
  const { wire_bytes, mass, minimum_fee, signatures } = shown;
  return { wire_bytes, mass, minimum_fee, signatures };
}

function quoteWith(body: Uint8Array, profiles: InputProfiles): TransactionQuote {
  const text = quoteTransactionWithInputProfiles(body, JSON.stringify(profiles), manifest.json);
  return JSON.parse(text) as TransactionQuote;
}

test('[WASM-02] a quote is what the signed transaction weighs, with and without operations', () => {
  const requests = [{}, ...operationRequests().map((operation) => ({ operation }))];
  for (const request of requests) {
    const signed = signAll({ ...request, payload_hex: 'ab'.repeat(100) }, manifest);
    const quote = JSON.parse(quoteTransaction(signed.body, manifest.json)) as TransactionQuote;
    assert.deepEqual(quote, quoteOf(signed.wire));
    const counted = quoteTransactionWithWitnesses(signed.body, signed.witnesses, manifest.json);
    assert.deepEqual(JSON.parse(counted), quote);
  }
});

test('[WASM-02] mass counts bytes, signatures and outputs by the constants of the manifest', () => {
  const output = { address: person(1).address, amount: '1' };
  const body = bodyOf({ inputs: [outpoint(0), outpoint(1)], outputs: [output, output] }, manifest);
  const quote = JSON.parse(quoteTransaction(body, manifest.json)) as TransactionQuote;
  const bytes = 1 + body.length + 2 * (1 + 1952 + 3309);
  assert.equal(quote.wire_bytes, String(bytes));
  assert.equal(quote.signatures, '2');
  assert.equal(quote.mass, String(bytes + 2 * 3000 + 2 * 500));
  assert.equal(quote.minimum_fee, String(10 * (bytes + 2 * 3000 + 2 * 500)));
});

test('the highest constants a manifest may have do not wrap', () => {
  const dear = manifestWith({
    mass_per_signature: 1_000_000n,
    mass_per_output: 1_000_000n,
    min_fee_per_mass: 1_000_000n,
  });
  const inputs = Array.from({ length: 8 }, (_, i) => outpoint(i));
  const outputs = Array.from({ length: 16 }, () => ({ address: person(1).address, amount: '1' }));
  const body = bodyOf({ inputs, outputs }, dear);
  const quote = JSON.parse(quoteTransaction(body, dear.json)) as TransactionQuote;
  const mass = BigInt(quote.wire_bytes) + 24_000_000n;
  assert.equal(quote.mass, String(mass));
  assert.equal(quote.minimum_fee, String(mass * 1_000_000n));
});

test('[WASM-02] [WASM-16] profiles change the quote as they change the witness', () => {
  const inputs = [outpoint(0), outpoint(1), outpoint(2)];
  const body = bodyOf({ inputs }, manifest);
  const inline = quoteWith(body, { inputs: ['inline', 'inline', 'inline'] });
  assert.deepEqual(inline, JSON.parse(quoteTransaction(body, manifest.json)));
  const mixed = quoteWith(body, { inputs: ['inline', 'referenced', 'inline'] });
  assert.equal(Number(inline.wire_bytes) - Number(mixed.wire_bytes), 1952);
  assert.equal(mixed.signatures, '3');
  const multisig = quoteWith(body, {
    inputs: [
      { profile: 'multisig_inline', threshold: '2', members: '3' },
      { profile: 'multisig_referenced', threshold: '3', members: '5' },
      'referenced',
    ],
  });
  const two = 1 + 2 + 3 * 48 + 1 + 2 * (1952 + 3309);
  const three = 1 + 2 + 5 * 48 + 1 + 3 * 3309;
  assert.equal(multisig.wire_bytes, String(1 + body.length + two + three + 1 + 3309));
  assert.equal(multisig.signatures, '6');
});

test('an operation is quoted inline unless a profile says otherwise', () => {
  const body = bodyOf({ operation: operationRequest('exit') }, manifest);
  const inline = quoteWith(body, { inputs: ['inline'] });
  assert.deepEqual(inline, JSON.parse(quoteTransaction(body, manifest.json)));
  const referenced = quoteWith(body, { inputs: ['inline'], operation: 'referenced' });
  assert.equal(Number(inline.wire_bytes) - Number(referenced.wire_bytes), 1952);
});

test('profiles must fit the body', () => {
  const body = bodyOf({ inputs: [outpoint(0), outpoint(1)] }, manifest);
  const two = { threshold: '2', members: '3' };
  const table: [unknown, string, string][] = [
    [{ inputs: ['inline'] }, 'wrong_witness_count', 'profiles.inputs'],
    [{ inputs: ['inline', 'inline', 'inline'] }, 'wrong_witness_count', 'profiles.inputs'],
    [{ inputs: ['inline', 'Inline'] }, 'unknown_profile', 'profiles.inputs[1]'],
    [{ inputs: ['inline', 'multisig_inline'] }, 'unknown_profile', 'profiles.inputs[1]'],
    [{ inputs: ['inline', 3] }, 'bad_type', 'profiles.inputs[1]'],
    [{ inputs: ['inline', null] }, 'bad_type', 'profiles.inputs[1]'],
    [{ inputs: ['inline', []] }, 'bad_type', 'profiles.inputs[1]'],
    [
      { inputs: ['inline', { profile: 'inline', ...two }] },
      'unknown_profile',
      'profiles.inputs[1].profile',
    ],
    [
      { inputs: ['inline', { profile: 'multisig_inline', threshold: '1', members: '3' }] },
      'bad_policy',
      'profiles.inputs[1]',
    ],
    [
      { inputs: ['inline', { profile: 'multisig_inline', threshold: '2', members: '5' }] },
      'bad_policy',
      'profiles.inputs[1]',
    ],
    [
      { inputs: ['inline', { profile: 'multisig_inline', threshold: 2, members: '3' }] },
      'bad_type',
      'profiles.inputs[1].threshold',
    ],
    [{ inputs: ['inline', 'inline'], operation: 'inline' }, 'no_operation', 'profiles.operation'],
    [{ inputs: ['inline', 'inline'], fee: '1' }, 'unknown_field', 'profiles.fee'],
    [[], 'bad_type', 'profiles'],
  ];
  for (const [profiles, code, path] of table) {
    const text = JSON.stringify(profiles);
    const quote = () => quoteTransactionWithInputProfiles(body, text, manifest.json);
    assert.throws(quote, { name: 'SvcError', code, path }, text);
  }
});

test('a quote for what would be too large is refused', () => {
  const inputs = Array.from({ length: 8 }, (_, i) => outpoint(i));
  const body = bodyOf({ inputs }, manifest);
  assert.ok(quoteTransaction(body, manifest.json));
  const profile = { profile: 'multisig_inline', threshold: '3', members: '5' } as const;
  const quote = () => quoteWith(body, { inputs: inputs.map(() => profile) });
  assert.throws(quote, { code: 'transaction_too_large' });
});

test('a quote may be as large as the manifest allows, and not one byte larger', () => {
  const { wire_bytes } = JSON.parse(
    quoteTransaction(bodyOf({}, manifest), manifest.json),
  ) as TransactionQuote;
  const most = manifestWith({ max_transaction_bytes: BigInt(wire_bytes) });
  assert.ok(quoteTransaction(bodyOf({}, most), most.json));
  const less = manifestWith({ max_transaction_bytes: BigInt(wire_bytes) - 1n });
  const quote = () => quoteTransaction(bodyOf({}, less), less.json);
  assert.throws(quote, { code: 'transaction_too_large' });
});

test('the kernel refuses bodies and profiles that the host would not pass on', () => {
  const instance = kernel();
  const body = bodyOf({}, manifest);
  const { manifestAt, bytesAt } = place(instance, manifest, body);
  const profilesAt = instance.input + ARGUMENTS_AT;
  const quote = (length: number, profile: readonly number[]) => {
    instance.bytes.set(profile, profilesAt);
    return instance.invoke((exports) => exports.txQuote(manifestAt, bytesAt, length, profilesAt));
  };
  assert.equal(quote(body.length, [0, 0, 0]), OK);
  assert.equal(quote(body.length - 1, [0, 0, 0]), TRUNCATED);
  for (const profile of [
    [5, 0, 0],
    [2, 0, 0],
    [3, 2, 5],
  ]) {
    assert.equal(quote(body.length, profile), UNKNOWN_PROFILE);
  }
});

test('a quote from witnesses checks them', () => {
  const { body, witnesses } = signAll({}, manifest);
  const quote = (list: readonly Uint8Array[]) =>
    quoteTransactionWithWitnesses(body, list, manifest.json);
  assert.throws(() => quote([]), { code: 'wrong_witness_count' });
  assert.throws(() => quote([Uint8Array.of(9)]), { code: 'unknown_profile' });
  const referenced = encodeWitnessWithProfile('referenced', null, new Uint8Array(3309));
  const smaller = JSON.parse(quote([referenced])) as TransactionQuote;
  const larger = JSON.parse(quote(witnesses)) as TransactionQuote;
  assert.equal(Number(larger.mass) - Number(smaller.mass), 1952);
});

test('[WASM-12] no body bound elsewhere is quoted', () => {
  const other = manifestWith({ mass_per_signature: 3001n });
  const { body, witnesses } = signAll({}, other);
  const code = 'wrong_rules';
  assert.throws(() => quoteTransaction(body, manifest.json), { code });
  assert.throws(() => quoteWith(body, { inputs: ['inline'] }), { code });
  assert.throws(() => quoteTransactionWithWitnesses(body, witnesses, manifest.json), { code });
});
