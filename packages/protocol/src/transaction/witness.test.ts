import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededBytes } from '../../test/seeded-bytes.ts';
import {
  bodyOf,
  manifestWith,
  operationRequest,
  operationRequests,
  outpoint,
  person,
  signAll,
} from '../../test/transaction-fixture.ts';
import { concatBytes, toHex } from '../base/bytes.ts';
import { init } from '../entry/node.ts';
import { keyHash } from '../kernel/hash-label.ts';
import { createMultisigDescriptor } from '../multisig/descriptor.ts';
import { assembleTransaction } from './assemble.ts';
import { inspectTransaction } from './inspect-transaction.ts';
import type { TransactionInspection } from './request.ts';
import {
  encodeMultisigInlineWitness,
  encodeMultisigReferencedWitness,
  encodeWitness,
  encodeWitnessWithProfile,
} from './witness.ts';

const KEY_BYTES = 1952;
const SIGNATURE_BYTES = 3309;
const signature = seededBytes('signature', SIGNATURE_BYTES);

await init();
const manifest = manifestWith();

function inspect(wire: Uint8Array): TransactionInspection {
  return JSON.parse(inspectTransaction(wire, manifest.json)) as TransactionInspection;
}

function descriptorOf(threshold: string, members: number): string {
  const keys = Array.from({ length: members }, (_, i) => toHex(person(i).publicKey));
  return createMultisigDescriptor(threshold, JSON.stringify(keys));
}

function memberSignature(member: number): { member: string; signature_hex: string } {
  const bytes = seededBytes(`signature ${member}`, SIGNATURE_BYTES);
  return { member: String(member), signature_hex: toHex(bytes) };
}

test('[WASM-03] a witness of one key is its profile, key and signature', () => {
  const { publicKey } = person(0);
  const inline = concatBytes(Uint8Array.of(0), publicKey, signature);
  assert.deepEqual(encodeWitness(publicKey, signature), inline);
  assert.deepEqual(encodeWitnessWithProfile('inline', publicKey, signature), inline);
});

test('[WASM-16] a referenced witness carries the signature and no public key', () => {
  const referenced = concatBytes(Uint8Array.of(1), signature);
  assert.deepEqual(encodeWitnessWithProfile('referenced', null, signature), referenced);
  const withKey = () => encodeWitnessWithProfile('referenced', person(0).publicKey, signature);
  assert.throws(withKey, { code: 'unknown_profile', path: 'public_key' });
});

test('keys and signatures of another length or type are refused', () => {
  const { publicKey } = person(0);
  for (const bad of [new Uint8Array(0), new Uint8Array(KEY_BYTES + 1), null, undefined, 'ab']) {
    const value = bad as Uint8Array;
    assert.throws(() => encodeWitness(value, signature), { name: 'SvcError', path: 'public_key' });
    assert.throws(() => encodeWitness(publicKey, value), { name: 'SvcError', path: 'signature' });
  }
  assert.throws(() => encodeWitnessWithProfile('inline', null, signature), { code: 'bad_type' });
  for (const profile of ['', 'Inline', 'multisig_inline', 'toString', 0, null]) {
    const make = () => encodeWitnessWithProfile(profile as string, publicKey, signature);
    assert.throws(make, { name: 'SvcError', code: 'unknown_profile' });
  }
});

test('[WASM-03] a multisig witness repeats the policy and lists its signers in order', () => {
  const descriptor = descriptorOf('2', 3);
  const { members } = JSON.parse(descriptor) as { members: string[] };
  const keys = members.map((member) => new Uint8Array(Buffer.from(member, 'hex')));
  const signatures = [memberSignature(2), memberSignature(0)];
  const head = concatBytes(Uint8Array.of(2, 3), ...keys.map(keyHash), Uint8Array.of(0b101));
  const first = seededBytes('signature 0', SIGNATURE_BYTES);
  const second = seededBytes('signature 2', SIGNATURE_BYTES);
  const [key0, , key2] = keys as [Uint8Array, Uint8Array, Uint8Array];
  assert.deepEqual(
    encodeMultisigInlineWitness(descriptor, JSON.stringify(signatures)),
    concatBytes(Uint8Array.of(2), head, key0, first, key2, second),
  );
  assert.deepEqual(
    encodeMultisigReferencedWitness(descriptor, JSON.stringify(signatures)),
    concatBytes(Uint8Array.of(3), head, first, second),
  );
});

test('signers are exactly as many distinct members as the threshold', () => {
  const descriptor = descriptorOf('2', 3);
  const table: [unknown, string][] = [
    [[], 'bad_signers'],
    [[memberSignature(0)], 'bad_signers'],
    [[0, 1, 2].map(memberSignature), 'bad_signers'],
    [[0, 0].map(memberSignature), 'bad_signers'],
    [[0, 0, 1].map(memberSignature), 'bad_signers'],
    [[0, 3].map(memberSignature), 'out_of_range'],
    [[0, 1, 2, 0, 1, 2].map(memberSignature), 'bad_length'],
    [[{ ...memberSignature(0), member: 0 }], 'bad_type'],
    [[{ ...memberSignature(0), signature_hex: 'ab' }], 'bad_hex'],
    [[{ ...memberSignature(0), key: '' }], 'unknown_field'],
    [{}, 'bad_type'],
  ];
  for (const [signatures, code] of table) {
    const text = JSON.stringify(signatures);
    const make = () => encodeMultisigInlineWitness(descriptor, text);
    assert.throws(make, { name: 'SvcError', code }, text.slice(0, 60));
  }
});

test('[WASM-03] an assembled transaction shows its body, size and witnesses', () => {
  const inputs = [outpoint(0), outpoint(1), outpoint(2), outpoint(3)];
  const operation = operationRequest('endpoint');
  const body = bodyOf({ inputs, operation }, manifest);
  const descriptor = descriptorOf('2', 3);
  const pair = JSON.stringify([memberSignature(0), memberSignature(1)]);
  const witnesses = [
    encodeWitness(person(0).publicKey, signature),
    encodeWitnessWithProfile('referenced', null, signature),
    encodeMultisigInlineWitness(descriptor, pair),
    encodeMultisigReferencedWitness(descriptor, pair),
    encodeWitness(person(1).publicKey, signature),
  ];
  const wire = assembleTransaction(body, witnesses, manifest.json, signature);
  assert.deepEqual(wire, concatBytes(Uint8Array.of(1), body, ...witnesses, signature));
  const shown = inspect(wire);
  assert.deepEqual(shown.operation, operation);
  assert.deepEqual(shown.inputs, inputs);
  assert.equal(shown.wire_bytes, String(wire.length));
  assert.equal(shown.signatures, '8');
  assert.equal(shown.mass, String(wire.length + 8 * 3000 + 500));
  assert.equal(shown.possession_signature_hex, toHex(signature));
  assert.deepEqual(
    shown.witnesses.map(({ profile }) => profile),
    ['inline', 'referenced', 'multisig_inline', 'multisig_referenced', 'inline'],
  );
  const [, , multisig] = shown.witnesses;
  assert.ok(multisig?.profile === 'multisig_inline');
  const { members } = JSON.parse(descriptor) as { members: string[] };
  assert.deepEqual(multisig.signers, [
    { ...memberSignature(0), public_key_hex: members[0] },
    { ...memberSignature(1), public_key_hex: members[1] },
  ]);
  assert.equal(multisig.threshold, '2');
  assert.equal(multisig.member_key_hashes.length, 3);
});

test('the number of witnesses is that of the inputs and one for the operation', () => {
  const signed = signAll({ inputs: [outpoint(0), outpoint(1)] }, manifest);
  const assemble = (witnesses: unknown) =>
    assembleTransaction(signed.body, witnesses as Uint8Array[], manifest.json);
  const [first] = signed.witnesses as [Uint8Array];
  for (const witnesses of [[], [first], [first, first, first]]) {
    assert.throws(() => assemble(witnesses), { code: 'wrong_witness_count', path: 'witnesses' });
  }
  for (const witnesses of [null, undefined, 'x', {}, first]) {
    assert.throws(() => assemble(witnesses), { name: 'SvcError' });
  }
  assert.throws(() => assemble([first, 'x']), { code: 'bad_type', path: 'witnesses[1]' });
  const holed = [first];
  holed.length = 2;
  assert.throws(() => assemble(holed), { code: 'bad_type', path: 'witnesses[1]' });
});

test('witnesses that only fit when run together are refused', () => {
  const { body, witnesses } = signAll({ inputs: [outpoint(0), outpoint(1)] }, manifest);
  const joined = concatBytes(...witnesses);
  const parts = [joined.subarray(0, 5000), joined.subarray(5000)];
  assert.throws(() => assembleTransaction(body, parts, manifest.json), {
    code: 'bad_length',
    path: 'witnesses[0]',
  });
});

test('a possession signature is there exactly when the operation names a consensus key', () => {
  for (const operation of operationRequests()) {
    const { body, witnesses, possession } = signAll({ operation }, manifest);
    const without = () => assembleTransaction(body, witnesses, manifest.json);
    if (possession !== undefined) {
      assert.throws(without, { code: 'possession_missing' });
      const short = possession.subarray(1);
      const assemble = () => assembleTransaction(body, witnesses, manifest.json, short);
      assert.throws(assemble, { code: 'bad_length' });
      continue;
    }
    assert.ok(without());
    const assemble = () => assembleTransaction(body, witnesses, manifest.json, signature);
    assert.throws(assemble, { code: 'possession_unexpected' });
  }
});

test('malformed witnesses are refused by name and place', () => {
  const body = bodyOf({ inputs: [outpoint(0), outpoint(1)] }, manifest);
  const good = encodeWitness(person(0).publicKey, signature);
  const multisig = encodeMultisigInlineWitness(
    descriptorOf('2', 3),
    JSON.stringify([memberSignature(0), memberSignature(1)]),
  );
  const changed = (at: number, value: number) => {
    const copy = Uint8Array.from(multisig);
    copy[at] = value;
    return copy;
  };
  const bitmapAt = 3 + 3 * 48;
  const swapped = concatBytes(
    multisig.subarray(0, 3),
    multisig.subarray(51, 99),
    multisig.subarray(3, 51),
    multisig.subarray(99),
  );
  const repeated = concatBytes(
    multisig.subarray(0, 51),
    multisig.subarray(3, 51),
    multisig.subarray(99),
  );
  const table: [Uint8Array, string][] = [
    [Uint8Array.of(4), 'profile_mismatch'],
    [Uint8Array.of(5), 'unknown_profile'],
    [Uint8Array.of(255), 'unknown_profile'],
    [changed(1, 1), 'bad_policy'],
    [changed(1, 3), 'bad_policy'],
    [changed(2, 5), 'bad_policy'],
    [changed(2, 0), 'bad_policy'],
    [swapped, 'bad_policy'],
    [repeated, 'bad_policy'],
    [changed(bitmapAt, 0b001), 'bad_signers'],
    [changed(bitmapAt, 0b111), 'bad_signers'],
    [changed(bitmapAt, 0), 'bad_signers'],
    [changed(bitmapAt, 0b1001), 'bad_signers'],
    [changed(bitmapAt, 0b10000001), 'bad_signers'],
  ];
  for (const [bad, code] of table) {
    const assemble = () => assembleTransaction(body, [good, bad], manifest.json);
    assert.throws(assemble, { name: 'SvcError', code, path: 'witnesses[1]' });
  }
  const empty = () => assembleTransaction(body, [good, new Uint8Array(0)], manifest.json);
  assert.throws(empty, { code: 'truncated' });
});

test('[WASM-12] nothing is assembled or shown that is bound elsewhere', () => {
  const other = manifestWith({ mass_per_output: 501n });
  const { body, witnesses, wire } = signAll({}, other);
  const code = 'wrong_rules';
  assert.throws(() => assembleTransaction(body, witnesses, manifest.json), { code });
  assert.throws(() => inspectTransaction(wire, manifest.json), { code });
});
