import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person } from '../../test/transaction-fixture.ts';
import {
  bodyOf,
  COIN,
  manifestWith,
  NETWORK,
  operationRequest,
  outpoint,
  person,
  signWith,
} from '../../test/transaction-fixture.ts';
import { toHex } from '../base/bytes.ts';
import { CONTEXTS } from '../base/labels.ts';
import { init } from '../entry/node.ts';
import { createMultisigDescriptor, multisigAddress } from '../multisig/descriptor.ts';
import { assembleTransaction } from './assemble.ts';
import { operationMessage, spendMessage } from './messages.ts';
import type { OutputRequest, TransactionVerification } from './request.ts';
import { verifyTransaction, verifyTransactionWithReferencedKeys } from './verify.ts';
import {
  encodeMultisigInlineWitness,
  encodeMultisigReferencedWitness,
  encodeWitness,
} from './witness.ts';

await init();
const manifest = manifestWith();

function verify(
  wire: Uint8Array,
  previousOutputs: readonly OutputRequest[],
  owner: string | null = null,
): TransactionVerification {
  const text = verifyTransaction(wire, JSON.stringify(previousOutputs), owner, manifest.json);
  return JSON.parse(text) as TransactionVerification;
}

function spendSignature(signer: Person, body: Uint8Array, index: number, previous: OutputRequest) {
  const message = spendMessage(body, index, JSON.stringify(previous), manifest.json);
  return signWith(signer, message, CONTEXTS.spend);
}

function flip(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at] = (copy[at] as number) ^ 1;
  return copy;
}

interface Multisig {
  readonly descriptor: string;
  readonly address: string;
  readonly members: readonly Person[];
}

function multisigOf(threshold: number, count: number): Multisig {
  const people = Array.from({ length: count }, (_, i) => person(i));
  const keys = JSON.stringify(people.map(({ publicKey }) => toHex(publicKey)));
  const descriptor = createMultisigDescriptor(String(threshold), keys);
  const { members } = JSON.parse(descriptor) as { members: string[] };
  const ordered = members.map(
    (key) => people.find(({ publicKey }) => toHex(publicKey) === key) as Person,
  );
  return { descriptor, address: multisigAddress(descriptor, NETWORK), members: ordered };
}

function memberSignatures(
  { members }: Multisig,
  signers: readonly number[],
  sign: (signer: Person) => Uint8Array,
): string {
  const list = signers.map((member) => ({
    member: String(member),
    signature_hex: toHex(sign(members[member] as Person)),
  }));
  return JSON.stringify(list);
}

test('every threshold of members spends from a multisig address, inline and referenced', () => {
  for (const [threshold, count, sets] of [
    [
      2,
      3,
      [
        [0, 1],
        [0, 2],
        [1, 2],
      ],
    ],
    [
      3,
      5,
      [
        [0, 1, 2],
        [0, 2, 4],
        [2, 3, 4],
      ],
    ],
  ] as const) {
    const multisig = multisigOf(threshold, count);
    const body = bodyOf({ inputs: [outpoint(0), outpoint(1)] }, manifest);
    const previous = { address: multisig.address, amount: String(10n * COIN) };
    const keys = multisig.members.map(({ publicKey }) => ({ public_key_hex: toHex(publicKey) }));
    for (const signers of sets) {
      const signatures = [0, 1].map((i) =>
        memberSignatures(multisig, signers, (signer) => spendSignature(signer, body, i, previous)),
      );
      const inline = signatures.map((text) =>
        encodeMultisigInlineWitness(multisig.descriptor, text),
      );
      const wire = assembleTransaction(body, inline, manifest.json);
      assert.equal(verify(wire, [previous, previous]).signatures, String(2 * threshold));
      const referenced = signatures.map((text) =>
        encodeMultisigReferencedWitness(multisig.descriptor, text),
      );
      const smaller = assembleTransaction(body, referenced, manifest.json);
      const check = (registered: unknown[]) =>
        verifyTransactionWithReferencedKeys(
          smaller,
          JSON.stringify([previous, previous]),
          null,
          JSON.stringify(registered),
          manifest.json,
        );
      assert.ok(check(keys));
      assert.throws(() => check(keys.filter((_, i) => i !== signers[0])), {
        code: 'key_not_registered',
        path: 'witnesses[0]',
      });
    }
  }
});

test('multisig witnesses: another policy, another key, a wrong signer', () => {
  const multisig = multisigOf(2, 3);
  const larger = multisigOf(3, 5);
  const body = bodyOf({}, manifest);
  const previous = { address: multisig.address, amount: String(10n * COIN) };
  const sign = (signer: Person) => spendSignature(signer, body, 0, previous);
  const witness = encodeMultisigInlineWitness(
    multisig.descriptor,
    memberSignatures(multisig, [0, 2], sign),
  );
  const verifyWitness = (bytes: Uint8Array) =>
    verify(assembleTransaction(body, [bytes], manifest.json), [previous]);
  assert.ok(verifyWitness(witness));
  const other = encodeMultisigInlineWitness(
    larger.descriptor,
    memberSignatures(larger, [0, 1, 2], sign),
  );
  const at = { path: 'witnesses[0]' };
  assert.throws(() => verifyWitness(other), { code: 'policy_mismatch', ...at });
  const headBytes = 1 + 2 + 3 * 48 + 1;
  assert.throws(() => verifyWitness(flip(witness, 3)), { name: 'SvcError' });
  assert.throws(() => verifyWitness(flip(witness, headBytes)), { code: 'key_mismatch', ...at });
  const lastByte = witness.length - 1;
  assert.throws(() => verifyWitness(flip(witness, lastByte)), {
    code: 'bad_spend_signature',
    ...at,
  });
  const byOne = encodeMultisigInlineWitness(
    multisig.descriptor,
    memberSignatures(multisig, [0, 2], () => sign(multisig.members[0] as Person)),
  );
  assert.throws(() => verifyWitness(byOne), { code: 'bad_spend_signature', ...at });
});

test('a witness profile fits the type of its address', () => {
  const multisig = multisigOf(2, 3);
  const body = bodyOf({}, manifest);
  const key = { address: person(0).address, amount: String(10n * COIN) };
  const shared = { address: multisig.address, amount: String(10n * COIN) };
  const single = (previous: OutputRequest) =>
    encodeWitness(person(0).publicKey, spendSignature(person(0), body, 0, previous));
  const joint = (previous: OutputRequest) =>
    encodeMultisigInlineWitness(
      multisig.descriptor,
      memberSignatures(multisig, [0, 1], (signer) => spendSignature(signer, body, 0, previous)),
    );
  const check = (witness: Uint8Array, previous: OutputRequest) =>
    verify(assembleTransaction(body, [witness], manifest.json), [previous]);
  assert.ok(check(single(key), key));
  assert.ok(check(joint(shared), shared));
  const expected = { code: 'profile_mismatch', path: 'witnesses[0]' };
  assert.throws(() => check(single(shared), shared), expected);
  assert.throws(() => check(joint(key), key), expected);
});

test('a multisig address may own what an operation changes', () => {
  const multisig = multisigOf(2, 3);
  const body = bodyOf({ operation: operationRequest('withdraw') }, manifest);
  const previous = { address: person(0).address, amount: String(10n * COIN) };
  const spend = encodeWitness(person(0).publicKey, spendSignature(person(0), body, 0, previous));
  const message = operationMessage(body, manifest.json);
  const operation = encodeMultisigInlineWitness(
    multisig.descriptor,
    memberSignatures(multisig, [1, 2], (signer) => signWith(signer, message, CONTEXTS.operation)),
  );
  const wire = assembleTransaction(body, [spend, operation], manifest.json);
  assert.ok(verify(wire, [previous], multisig.address));
});
