/**
 * Repeated inputs: one witness for a run of inputs of one address, where the body declares its fee and names the
 * inputs that repeat. Unsigned inputs are never spent, and a stranger cannot change a witness into another.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bodyOf,
  COIN,
  manifestWith,
  operationRequest,
  outpoint,
  person,
  repeatedInputs,
  signAll,
  signWith,
} from '../../test/transaction-fixture.ts';
import { concatBytes, toHex } from '../base/bytes.ts';
import { CONTEXTS } from '../base/labels.ts';
import { init } from '../entry/node.ts';
import { assembleTransaction } from './assemble.ts';
import { encodeTransactionBody } from './encode-body.ts';
import { inspectTransaction } from './inspect-transaction.ts';
import { spendMessage } from './messages.ts';
import { quoteTransaction, quoteTransactionWithInputProfiles } from './quote.ts';
import type {
  InputRequest,
  OutputRequest,
  TransactionInspection,
  TransactionQuote,
  TransactionVerification,
} from './request.ts';
import { verifyTransaction, verifyTransactionWithReferencedKeys } from './verify.ts';
import { encodeWitness, encodeWitnessWithProfile } from './witness.ts';

await init();
const manifest = manifestWith();

const REPEATED = Uint8Array.of(4);

function verify(wire: Uint8Array, previousOutputs: readonly OutputRequest[]) {
  const text = verifyTransaction(wire, JSON.stringify(previousOutputs), null, manifest.json);
  return JSON.parse(text) as TransactionVerification;
}

function outputsOf(...owners: number[]): OutputRequest[] {
  return owners.map((owner) => ({ address: person(owner).address, amount: String(10n * COIN) }));
}

function witnessOf(owner: number, body: Uint8Array, input: number, previous: OutputRequest) {
  const message = spendMessage(body, input, JSON.stringify(previous), manifest.json);
  return encodeWitness(person(owner).publicKey, signWith(person(owner), message, CONTEXTS.spend));
}

/** A payment of 5 coins out of outputs of 10 coins each, whose owners sign where no input repeats. */
function signedBy(owners: readonly number[], inputs: readonly InputRequest[]) {
  const fee = BigInt(owners.length) * 10n * COIN - 5n * COIN;
  const body = bodyOf({ fee: String(fee), inputs }, manifest);
  const previousOutputs = outputsOf(...owners);
  const witnesses = owners.map((owner, i) =>
    inputs[i]?.repeated === true
      ? REPEATED
      : witnessOf(owner, body, i, previousOutputs[i] as OutputRequest),
  );
  const wire = assembleTransaction(body, witnesses, manifest.json);
  return { body, previousOutputs, witnesses, wire };
}

test('eight outputs of one address are spent with one signature, and mass counts what is there', () => {
  const { body, wire, previousOutputs } = signedBy(Array(8).fill(0), repeatedInputs(8));
  const verified = verify(wire, previousOutputs);
  assert.equal(verified.fee, String(75n * COIN));
  assert.equal(verified.signatures, '1');
  const bytes = 1 + body.length + (1 + 1952 + 3309) + 7;
  assert.equal(wire.length, bytes);
  assert.equal(verified.mass, String(bytes + 3000 + 500));
  const quote = JSON.parse(quoteTransaction(body, manifest.json)) as TransactionQuote;
  assert.deepEqual([quote.mass, quote.signatures], [verified.mass, '1']);
  const shown = JSON.parse(inspectTransaction(wire, manifest.json)) as TransactionInspection;
  assert.deepEqual(
    shown.witnesses.map(({ profile }) => profile),
    ['inline', ...Array(7).fill('repeated')],
  );
  assert.deepEqual(
    shown.inputs.map(({ repeated }) => repeated),
    [undefined, ...Array(7).fill(true)],
  );
});

test('a referenced witness is repeated like any other', () => {
  const { body, previousOutputs } = signedBy([0, 0, 0], repeatedInputs(3));
  const previous = previousOutputs[0] as OutputRequest;
  const signature = witnessOf(0, body, 0, previous).subarray(1 + 1952);
  const first = encodeWitnessWithProfile('referenced', null, signature);
  const wire = assembleTransaction(body, [first, REPEATED, REPEATED], manifest.json);
  const keys = JSON.stringify([{ public_key_hex: toHex(person(0).publicKey) }]);
  const check = (text: string) =>
    verifyTransactionWithReferencedKeys(
      wire,
      JSON.stringify(previousOutputs),
      null,
      text,
      manifest.json,
    );
  const profiles = JSON.stringify({ inputs: ['referenced', 'repeated', 'repeated'] });
  const quote = JSON.parse(quoteTransactionWithInputProfiles(body, profiles, manifest.json));
  assert.equal(JSON.parse(check(keys)).mass, (quote as TransactionQuote).mass);
  assert.throws(() => check('[]'), { code: 'key_not_registered', path: 'witnesses[0]' });
});

test('an input repeats the one before it, in as many runs as there are', () => {
  const inputs = [0, 1, 2, 3, 4].map((i) =>
    i === 1 || i === 4 ? { ...outpoint(i), repeated: true } : outpoint(i),
  );
  const { wire, previousOutputs } = signedBy([0, 0, 1, 0, 0], inputs);
  assert.equal(verify(wire, previousOutputs).signatures, '3');
});

test('an input of another address is not spent by the witness before it, wherever it stands', () => {
  for (const owners of [
    [0, 1],
    [0, 0, 1],
    [0, 1, 0],
  ]) {
    const { wire, previousOutputs } = signedBy(owners, repeatedInputs(owners.length));
    const stranger = owners.indexOf(1);
    assert.throws(() => verify(wire, previousOutputs), {
      code: 'repeated_address',
      path: `inputs[${stranger}]`,
    });
  }
});

test('a signer who takes an input for another’s does not sign it away: the body says whose witness serves', () => {
  const apart = [outpoint(0), outpoint(1)];
  const own = signedBy([0, 0], apart);
  const together = signedBy([0, 0], repeatedInputs(2));
  assert.notDeepEqual(own.body, together.body);
  const [first] = own.witnesses as [Uint8Array];
  assert.throws(() => assembleTransaction(own.body, [first, REPEATED], manifest.json), {
    code: 'profile_mismatch',
    path: 'witnesses[1]',
  });
  const moved = assembleTransaction(together.body, [first, REPEATED], manifest.json);
  assert.throws(() => verify(moved, together.previousOutputs), {
    code: 'bad_spend_signature',
    path: 'witnesses[0]',
  });
});

test('a stranger can exchange no witness of a signed transaction for another', () => {
  const { body, witnesses, previousOutputs, wire } = signedBy([0, 0, 0], repeatedInputs(3));
  assert.ok(verify(wire, previousOutputs));
  const [own] = witnesses as [Uint8Array];
  const raw = (...list: Uint8Array[]) => concatBytes(Uint8Array.of(1), body, ...list);
  const changed = [
    raw(own, own, REPEATED),
    raw(own, REPEATED, own),
    raw(REPEATED, own, REPEATED),
    raw(REPEATED, REPEATED, own),
    raw(REPEATED, REPEATED, REPEATED),
    raw(own, REPEATED, Uint8Array.of(4, 4)),
    raw(own, REPEATED),
    raw(own, Uint8Array.of(4, 0), REPEATED),
  ];
  for (const bytes of changed) {
    assert.throws(() => verify(bytes, previousOutputs), { name: 'SvcError' });
  }
});

test('amounts of repeated inputs are held by the declared fee, the amount of the signed one by its signature', () => {
  const { wire, previousOutputs } = signedBy([0, 0, 0], repeatedInputs(3));
  const told = (...changes: bigint[]) =>
    previousOutputs.map(({ address, amount }, i) => ({
      address,
      amount: String(BigInt(amount) + (changes[i] as bigint)),
    }));
  assert.equal(verify(wire, told(0n, 1n, -1n)).fee, String(25n * COIN));
  assert.throws(() => verify(wire, told(0n, 1n, 0n)), { code: 'fee_mismatch' });
  assert.throws(() => verify(wire, told(0n, 0n, -1n)), { code: 'fee_mismatch' });
  assert.throws(() => verify(wire, told(1n, -1n, 0n)), { code: 'bad_spend_signature' });
});

test('no body without a declared fee has repeated inputs', () => {
  const request = { inputs: repeatedInputs(2) };
  assert.throws(() => bodyOf(request, manifest), { code: 'bad_repeated_inputs', path: 'inputs' });
  const first = [{ ...outpoint(0), repeated: true }];
  assert.throws(() => bodyOf({ inputs: first, fee: '1' }, manifest), {
    code: 'bad_repeated_inputs',
  });
  const many = Array.from({ length: 9 }, (_, i) => ({ ...outpoint(i), repeated: i > 0 }));
  assert.throws(() => bodyOf({ inputs: many, fee: '1' }, manifest), { code: 'too_many_inputs' });
  const plain = bodyOf({ inputs: [outpoint(0), outpoint(1)], fee: '1' }, manifest);
  const spelled = [outpoint(0), { ...outpoint(1), repeated: false }];
  assert.deepEqual(bodyOf({ inputs: spelled, fee: '1' }, manifest), plain);
  for (const repeated of ['true', 1, null, {}]) {
    const inputs = [outpoint(0), { ...outpoint(1), repeated }];
    const text = JSON.stringify({ ...request, outputs: [], fee: '1', inputs });
    assert.throws(() => encodeTransactionBody(text, manifest.json), { name: 'SvcError' });
  }
});

test('an operation signs for itself, beside repeated inputs', () => {
  const signed = signAll(
    { operation: operationRequest('bond'), fee: '29499999993', inputs: repeatedInputs(3) },
    manifest,
  );
  const verified = verify(signed.wire, signed.previousOutputs);
  assert.equal(verified.signatures, '2');
  const witnesses = [...signed.witnesses.slice(0, -1), REPEATED];
  assert.throws(() => assembleTransaction(signed.body, witnesses, manifest.json), {
    code: 'profile_mismatch',
    path: 'witnesses[3]',
  });
});

test('a quote takes repeated for exactly the inputs that repeat', () => {
  const body = bodyOf({ fee: '1', inputs: repeatedInputs(2) }, manifest);
  const quote = (inputs: readonly string[]) =>
    quoteTransactionWithInputProfiles(body, JSON.stringify({ inputs }), manifest.json);
  assert.ok(quote(['referenced', 'repeated']));
  for (const inputs of [
    ['inline', 'inline'],
    ['repeated', 'repeated'],
    ['repeated', 'inline'],
  ]) {
    assert.throws(() => quote(inputs), { code: 'profile_mismatch' });
  }
});

test('a repeated witness has neither key nor signature', () => {
  assert.deepEqual(encodeWitnessWithProfile('repeated', null, null), REPEATED);
  const { publicKey } = person(0);
  const signature = new Uint8Array(3309);
  for (const [key, given] of [
    [publicKey, null],
    [null, signature],
    [publicKey, signature],
  ] as const) {
    assert.throws(() => encodeWitnessWithProfile('repeated', key, given), {
      code: 'unknown_profile',
    });
  }
});
