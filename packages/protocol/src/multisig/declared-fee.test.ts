/**
 * Members who review one multisig package twice, with other amounts each time: without a declared fee their
 * signatures can be put together into a fee that neither review showed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
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
  outpoint,
  person,
  repeatedInputs,
  signWith,
} from '../../test/transaction-fixture.ts';
import { fromHex, toHex } from '../base/bytes.ts';
import { CONTEXTS } from '../base/labels.ts';
import { init } from '../entry/node.ts';
import { inspectTransaction } from '../transaction/inspect-transaction.ts';
import { verifyTransaction } from '../transaction/verify.ts';
import { completeMultisigPackage } from './package-complete.ts';
import { createMultisigPackage } from './package-create.ts';
import { reviewMultisigPackage } from './package-review.ts';
import { addMultisigPackageSignatures, multisigPackageSigningMessages } from './package-sign.ts';

await init();

const vault = vaultOf(2, 3);
const outputs = [{ address: person(1).address, amount: '500000000' }];
const inputs = [outpoint(0), outpoint(1)];
const undeclared = bodyOf({ inputs, outputs }, manifestWith());
/** What the two outputs are worth: the fee would be 5 coins. */
const REAL = ['500000000', '500000000'];
/** What is shown to the members, once each: a fee of 0.01. */
const LIES = [
  ['500000000', '1000000'],
  ['1000000', '500000000'],
];
const allowed = { allowUndeclaredFee: true };

function packageWith(body: Uint8Array, amounts: readonly string[], options?: typeof allowed) {
  const { descriptor, manifestJson } = vault;
  return createMultisigPackage(descriptor, body, JSON.stringify(amounts), manifestJson, options);
}

test('two reviews of one undeclared body hide a fee; every call on the way refuses it unless allowed', () => {
  assert.throws(() => packageWith(undeclared, REAL), { code: 'fee_undeclared', path: 'body' });
  const lied = LIES.map((amounts) => packageWith(undeclared, amounts, allowed));
  for (const bytes of lied) {
    assert.throws(() => reviewMultisigPackage(bytes, vault.manifestJson), {
      code: 'fee_undeclared',
      path: 'package.body',
    });
    const shown = JSON.parse(reviewMultisigPackage(bytes, vault.manifestJson, allowed));
    assert.deepEqual([shown.fee, shown.is_fee_declared], ['1000000', false]);
    assert.throws(
      () => multisigPackageSigningMessages(bytes, shown.template_digest, vault.manifestJson),
      { code: 'fee_undeclared' },
    );
  }
  const signed = vault.members.slice(0, 2).map((member) => ({
    key: member.publicKey,
    signatures: LIES.map((_, at) => {
      const bytes = lied[at] as Uint8Array;
      const shown = JSON.parse(reviewMultisigPackage(bytes, vault.manifestJson, allowed));
      const digest = shown.template_digest as string;
      const messages = JSON.parse(
        multisigPackageSigningMessages(bytes, digest, vault.manifestJson, allowed),
      ) as string[];
      return toHex(signWith(member, fromHex(messages[at] as string), CONTEXTS.spend));
    }),
  }));
  const complete = signed.reduce(
    (bytes, { key, signatures }) =>
      addMultisigPackageSignatures(bytes, key, JSON.stringify(signatures), vault.manifestJson),
    packageWith(undeclared, REAL, allowed),
  );
  const wire = completeMultisigPackage(complete, vault.manifestJson);
  const previous = JSON.stringify(REAL.map((amount) => ({ address: vault.address, amount })));
  const verified = JSON.parse(verifyTransaction(wire, previous, null, vault.manifestJson));
  assert.equal(verified.fee, '500000000');
});

test('a declared fee: amounts that leave another are never reviewed or signed', () => {
  const declared = bodyOf({ inputs, outputs, fee: '1000000' }, manifestWith());
  assert.throws(() => packageWith(declared, REAL), { code: 'fee_mismatch' });
  const lied = LIES.map((amounts) => packageWith(declared, amounts));
  for (const bytes of lied) {
    const shown = review(bytes, vault);
    assert.deepEqual([shown.fee, shown.is_fee_declared], ['1000000', true]);
  }
  const mixed = JSON.stringify(
    lied.map((bytes, at) => {
      const member = vault.members[0] ?? person(0);
      return (JSON.parse(signaturesBy(member, bytes, vault)) as string[])[at];
    }),
  );
  const key = vault.members[0]?.publicKey as Uint8Array;
  for (const bytes of lied) {
    assert.throws(() => addMultisigPackageSignatures(bytes, key, mixed, vault.manifestJson), {
      code: 'bad_signature',
    });
  }
});

test('a single input needs no declared fee: its signatures cover its amount', () => {
  const single = bodyOf({ inputs: [outpoint(0)], outputs }, manifestWith());
  const shown = review(
    packageOf({ ...vault, body: single, amounts: ['501000000'] }, 'multisig_inline'),
    vault,
  );
  assert.deepEqual([shown.fee, shown.is_fee_declared], ['1000000', false]);
});

test('[WASM-04] repeated inputs: each member signs once for the address, and eight inputs of 3 of 5 fit', () => {
  for (const [threshold, members] of [
    [2, 3],
    [3, 5],
  ] as const) {
    const own = vaultOf(threshold, members);
    const body = bodyOf({ inputs: repeatedInputs(8), outputs, fee: '300000000' }, manifestWith());
    const repeated = { ...own, body, amounts: Array<string>(8).fill('100000000') };
    const signers = Array.from({ length: threshold }, (_, i) => i);
    for (const profile of PROFILES) {
      const complete = signedBy(packageOf(repeated, profile), repeated, ...signers);
      assert.equal(JSON.parse(signaturesBy(person(0), complete, repeated)).length, 1);
      const wire = completeMultisigPackage(complete, own.manifestJson);
      assert.equal(String(wire.length), review(complete, repeated).wire_bytes);
      const shown = JSON.parse(inspectTransaction(wire, own.manifestJson));
      assert.equal(shown.signatures, String(threshold));
    }
  }
});
