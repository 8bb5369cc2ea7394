import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  POLICIES,
  PROFILES,
  packageOf,
  review,
  signaturesBy,
  signedBy,
  vaultOf,
} from '../../test/multisig-fixture.ts';
import {
  bodyOf,
  manifestWith,
  operationRequest,
  outpoint,
  person,
} from '../../test/transaction-fixture.ts';
import { equalBytes, toHex } from '../base/bytes.ts';
import { init } from '../entry/node.ts';
import { inspectTransaction } from '../transaction/inspect-transaction.ts';
import { verifyTransaction, verifyTransactionWithReferencedKeys } from '../transaction/verify.ts';
import { combineMultisigPackages } from './package-combine.ts';
import { completeMultisigPackage } from './package-complete.ts';
import { createMultisigPackage } from './package-create.ts';
import { decodeMultisigPackage } from './package-review.ts';
import { addMultisigPackageSignatures, multisigPackageSigningMessages } from './package-sign.ts';

await init();

const vault = vaultOf(2, 3);
const inline = packageOf(vault, 'multisig_inline');

for (const { threshold, members } of POLICIES) {
  for (const profile of PROFILES) {
    test(`[WASM-04] [WASM-17] ${threshold} of ${members}, ${profile}: review, sign, combine, complete, verify`, () => {
      const own = vaultOf(threshold, members);
      const start = packageOf(own, profile);
      const signers = Array.from({ length: threshold }, (_, i) => members - 1 - i);
      const partial = signers.map((index) => signedBy(start, own, index));
      const combined = combineMultisigPackages(partial, own.manifestJson);
      const shown = review(combined, own);
      assert.equal(shown.template_digest, review(start, own).template_digest);
      assert.deepEqual(
        shown.signed_by.map(({ member }) => Number(member)),
        [...signers].reverse(),
      );
      assert.equal(shown.signatures_missing, '0');
      const wire = completeMultisigPackage(combined, own.manifestJson);
      const previous = JSON.stringify(
        own.amounts.map((amount) => ({ address: own.address, amount })),
      );
      const keys = signers.map((i) => ({
        public_key_hex: toHex(own.members[i]?.publicKey as Uint8Array),
      }));
      const verified =
        profile === 'multisig_inline'
          ? verifyTransaction(wire, previous, null, own.manifestJson)
          : verifyTransactionWithReferencedKeys(
              wire,
              previous,
              null,
              JSON.stringify(keys),
              own.manifestJson,
            );
      assert.equal(JSON.parse(verified).fee, shown.fee);
      assert.equal(JSON.parse(verified).transaction_id, shown.transaction_id);
      assert.equal(JSON.parse(verified).mass, shown.mass);
      assert.equal(
        JSON.parse(inspectTransaction(wire, own.manifestJson)).witnesses[0].profile,
        profile,
      );
    });
  }
}

test('[WASM-17] a review shows what the bytes say: recipients, amounts, fee, inputs, window, descriptor, digest, profile', () => {
  const shown = review(inline, vault);
  assert.deepEqual(shown.recipients, [
    { address: person(1).address, amount: '500000000', is_change: false },
    { address: vault.address, amount: '199000000', is_change: true },
  ]);
  assert.deepEqual(shown.inputs, [
    { ...outpoint(0), amount: '300000000' },
    { ...outpoint(1), amount: '400000000' },
  ]);
  assert.deepEqual([shown.fee, shown.is_fee_declared], ['1000000', true]);
  assert.ok(BigInt(shown.minimum_fee) <= 1_000_000n);
  assert.deepEqual([shown.valid_from_height, shown.valid_until_height], ['1000', '1100']);
  assert.deepEqual(shown.descriptor, JSON.parse(vault.descriptor));
  assert.equal(shown.address, vault.address);
  assert.equal(shown.witness_profile, 'multisig_inline');
  assert.equal(shown.format, 'TRMSIGP1');
  assert.match(shown.template_digest, /^[0-9a-f]{96}$/);
  assert.deepEqual([shown.signed_by, shown.signatures_missing], [[], '2']);
});

test('[WASM-17] a referenced package has its own tag and digest', () => {
  const referenced = packageOf(vault, 'multisig_referenced');
  const shown = JSON.parse(decodeMultisigPackage(referenced));
  assert.equal(shown.format, 'TRMSIGP2');
  assert.equal(shown.witness_profile, 'multisig_referenced');
  assert.notEqual(shown.template_digest, review(inline, vault).template_digest);
});

test('a package taken apart shows its fields and signatures', () => {
  const shown = JSON.parse(decodeMultisigPackage(signedBy(inline, vault, 1)));
  assert.equal(shown.format, 'TRMSIGP1');
  assert.equal(shown.body_hex, toHex(vault.body));
  assert.deepEqual(shown.input_amounts, vault.amounts);
  assert.deepEqual(shown.descriptor, JSON.parse(vault.descriptor));
  assert.equal(shown.template_digest, review(inline, vault).template_digest);
  assert.deepEqual(
    shown.signatures.map(({ member }: { member: string }) => member),
    ['1'],
  );
  assert.equal(shown.signatures[0].signatures_hex.length, 2);
});

test('[WASM-17] signing messages are given for the reviewed digest alone', () => {
  const digest = review(inline, vault).template_digest;
  const other = review(
    packageOf({ ...vault, amounts: ['300000001', '399999999'] }, 'multisig_inline'),
    vault,
  );
  assert.notEqual(other.template_digest, digest);
  for (const wrong of [other.template_digest, '00'.repeat(48)]) {
    assert.throws(() => multisigPackageSigningMessages(inline, wrong, vault.manifestJson), {
      code: 'wrong_digest',
    });
  }
  assert.throws(() => multisigPackageSigningMessages(inline, digest.slice(2), vault.manifestJson), {
    code: 'bad_hex',
  });
  assert.equal(
    JSON.parse(multisigPackageSigningMessages(inline, digest, vault.manifestJson)).length,
    2,
  );
});

test('the order in which members sign does not matter', () => {
  assert.ok(equalBytes(signedBy(inline, vault, 0, 2), signedBy(inline, vault, 2, 0)));
  const [one, two] = [signedBy(inline, vault, 0), signedBy(inline, vault, 2)];
  const combined = combineMultisigPackages([two, one, inline], vault.manifestJson);
  assert.ok(equalBytes(combined, combineMultisigPackages([one, two], vault.manifestJson)));
});

test('of more signers than needed the first are kept', () => {
  const partial = [2, 1, 0].map((index) => signedBy(inline, vault, index));
  const combined = combineMultisigPackages(partial, vault.manifestJson);
  assert.deepEqual(
    review(combined, vault).signed_by.map(({ member }) => member),
    ['0', '1'],
  );
  assert.ok(completeMultisigPackage(combined, vault.manifestJson).length > 0);
});

test('[WASM-17] packages of another template, descriptor, tag or manifest are not combined', () => {
  const base = signedBy(inline, vault, 0);
  const combineWith = (other: Uint8Array) =>
    combineMultisigPackages([base, other], vault.manifestJson);
  const amounts = packageOf({ ...vault, amounts: ['299999999', '400000001'] }, 'multisig_inline');
  const body = bodyOf({ inputs: [outpoint(0), outpoint(2)], fee: '200000000' }, manifestWith());
  const cases: readonly [Uint8Array, string][] = [
    [amounts, 'package_template_mismatch'],
    [packageOf({ ...vault, body }, 'multisig_inline'), 'package_template_mismatch'],
    [packageOf(vaultOf(3, 5), 'multisig_inline'), 'package_descriptor_mismatch'],
    [packageOf(vault, 'multisig_referenced'), 'package_profile_mismatch'],
  ];
  for (const [other, code] of cases) {
    assert.throws(() => combineWith(other), { code, path: 'packages[1]' });
  }
  const elsewhere = manifestWith({ min_fee_per_mass: 9n }).json;
  assert.throws(() => combineMultisigPackages([base], elsewhere), { code: 'wrong_rules' });
  assert.throws(() => combineMultisigPackages([], vault.manifestJson), { code: 'bad_length' });
  assert.throws(() => combineMultisigPackages({} as never, vault.manifestJson), {
    code: 'bad_type',
  });
});

test('[WASM-12] no package call takes a body of another rule set', () => {
  const elsewhere = manifestWith({ max_outputs: 15n }).json;
  const digest = review(inline, vault).template_digest;
  const calls = [
    () =>
      createMultisigPackage(vault.descriptor, vault.body, JSON.stringify(vault.amounts), elsewhere),
    () => review(inline, { ...vault, manifestJson: elsewhere }),
    () => multisigPackageSigningMessages(inline, digest, elsewhere),
    () => addMultisigPackageSignatures(inline, person(20).publicKey, '[]', elsewhere),
    () => combineMultisigPackages([inline], elsewhere),
    () => completeMultisigPackage(inline, elsewhere),
  ];
  for (const call of calls) assert.throws(call, { code: 'wrong_rules' });
});

test('signatures are taken from members alone, once, and only if they hold', () => {
  const { manifestJson, members } = vault;
  const [first, second] = [members[0], members[1]].map((member) => member ?? person(0)) as [
    ReturnType<typeof person>,
    ReturnType<typeof person>,
  ];
  const add = (packageBytes: Uint8Array, key: Uint8Array, signatures: string) =>
    addMultisigPackageSignatures(packageBytes, key, signatures, manifestJson);
  const own = signaturesBy(first, inline, vault);
  const stranger = person(0);
  assert.throws(() => add(inline, stranger.publicKey, signaturesBy(stranger, inline, vault)), {
    code: 'not_a_member',
  });
  assert.throws(() => add(inline, second.publicKey, own), {
    code: 'bad_signature',
    path: 'signatures[0]',
  });
  const swapped = JSON.stringify((JSON.parse(own) as string[]).reverse());
  assert.throws(() => add(inline, first.publicKey, swapped), { code: 'bad_signature' });
  assert.throws(() => add(signedBy(inline, vault, 0), first.publicKey, own), {
    code: 'already_signed',
  });
  const third = members[2]?.publicKey as Uint8Array;
  assert.throws(() => add(signedBy(inline, vault, 0, 1), third, own), { code: 'package_complete' });
  assert.throws(() => add(inline, first.publicKey, JSON.stringify([JSON.parse(own)[0]])), {
    code: 'bad_length',
  });
  assert.throws(() => add(inline, first.publicKey, '[1,2]'), { code: 'bad_type' });
  assert.throws(() => add(inline, first.publicKey.subarray(1), own), { code: 'bad_length' });
});

test('a package without enough signatures is not completed', () => {
  for (const partial of [inline, signedBy(inline, vault, 1)]) {
    assert.throws(() => completeMultisigPackage(partial, vault.manifestJson), {
      code: 'package_incomplete',
    });
  }
});

test('a package is not made from amounts or bodies that no transaction could have', () => {
  const create = (body: Uint8Array, amounts: readonly string[]) =>
    createMultisigPackage(vault.descriptor, body, JSON.stringify(amounts), vault.manifestJson);
  const withOperation = bodyOf({ operation: operationRequest('exit') }, manifestWith());
  const two = { inputs: [outpoint(0), outpoint(1)] };
  const cases: readonly [Uint8Array, readonly string[], string][] = [
    [vault.body, ['300000000'], 'bad_length'],
    [vault.body, ['300000000', '0'], 'zero_amount'],
    [vault.body, ['20000000000000000', '1'], 'amount_too_large'],
    [vault.body, ['300000000', '300000000'], 'insufficient_inputs'],
    [vault.body, ['300000000', '400000001'], 'fee_mismatch'],
    [vault.body, ['300000000', '399999999'], 'fee_mismatch'],
    [bodyOf({ ...two, fee: '1' }, manifestWith()), ['250000000', '250000001'], 'fee_too_low'],
    [bodyOf(two, manifestWith()), ['300000000', '300000000'], 'fee_undeclared'],
    [vault.body, ['300000000', '+1'], 'bad_integer'],
    [vault.body.subarray(1), vault.amounts, 'unsupported_version'],
    [withOperation, ['700000000'], 'bad_package'],
  ];
  for (const [body, amounts, code] of cases) {
    assert.throws(() => create(body, amounts), { code }, code);
  }
  const inputs = Array.from({ length: 8 }, (_, i) => outpoint(i));
  const large = bodyOf({ inputs, fee: '300000000' }, manifestWith());
  const five = vaultOf(3, 5).descriptor;
  const amounts = JSON.stringify(inputs.map(() => '100000000'));
  assert.throws(() => createMultisigPackage(five, large, amounts, vault.manifestJson), {
    code: 'transaction_too_large',
  });
});
