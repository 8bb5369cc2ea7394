import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person } from '../../test/transaction-fixture.ts';
import {
  bodyOf,
  COIN,
  manifestWith,
  NETWORK,
  operationRequest,
  operationRequests,
  outpoint,
  person,
  signAll,
  signWith,
} from '../../test/transaction-fixture.ts';
import { toHex } from '../base/bytes.ts';
import { CONTEXTS } from '../base/labels.ts';
import { init } from '../entry/node.ts';
import { WalletRoot } from '../keys/wallet-root.ts';
import { encodeAddress } from '../text/address.ts';
import { addressFromPublicKey } from '../text/address-documents.ts';
import { assembleTransaction } from './assemble.ts';
import { encodeTransactionBody } from './encode-body.ts';
import { operationMessage, possessionMessage, spendMessage } from './messages.ts';
import { quoteTransaction, quoteTransactionWithInputProfiles } from './quote.ts';
import type { OutputRequest, TransactionQuote, TransactionVerification } from './request.ts';
import { verifyTransaction, verifyTransactionWithReferencedKeys } from './verify.ts';
import { encodeWitness, encodeWitnessWithProfile } from './witness.ts';

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

/** Operations that do not name their owner need it from the caller. */
function ownerFor(operation: { data: object }): string | null {
  return 'owner_address' in operation.data ? null : person(0).address;
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

test('[WASM-14] a payment is encoded, signed by the wallet root, assembled and verified', () => {
  const root = WalletRoot.fromMnemonic(`${'abandon '.repeat(23)}art`);
  const publicKey = root.derivePublicKey(0, 0, 0);
  const address = addressFromPublicKey(publicKey, NETWORK);
  const request = {
    valid_from_height: '10',
    valid_until_height: '20',
    inputs: [outpoint(0), outpoint(1)],
    outputs: [{ address: person(1).address, amount: '150000000' }],
    payload_hex: '',
  };
  const previousOutputs = request.inputs.map(() => ({ address, amount: '100000000' }));
  const body = encodeTransactionBody(JSON.stringify(request), manifest.json);
  const witnesses = previousOutputs.map((previous, i) => {
    const message = spendMessage(body, i, JSON.stringify(previous), manifest.json);
    return encodeWitness(publicKey, root.sign(0, 0, 0, message, true));
  });
  root.free();
  const wire = assembleTransaction(body, witnesses, manifest.json);
  const verified = verify(wire, previousOutputs);
  const quote = JSON.parse(quoteTransaction(body, manifest.json)) as TransactionQuote;
  assert.equal(verified.fee, '50000000');
  assert.equal(verified.mass, quote.mass);
  assert.equal(verified.minimum_fee, quote.minimum_fee);
  assert.equal(verified.valid_from_height, '10');
  assert.equal(verified.valid_until_height, '20');
});

test('[BODY-06] the fee is inputs less outputs, and less what a bond takes', () => {
  const inputs = [outpoint(0), outpoint(1)];
  const plain = signAll({ inputs }, manifest);
  assert.equal(verify(plain.wire, plain.previousOutputs).fee, String(200n * COIN - 5n * COIN));
  const bond = signAll({ inputs, operation: operationRequest('bond') }, manifest);
  const fee = 200n * COIN - 5n * COIN - 7n;
  assert.equal(verify(bond.wire, bond.previousOutputs).fee, String(fee));
  const unbond = signAll({ inputs, operation: operationRequest('unbond') }, manifest);
  const verified = verify(unbond.wire, unbond.previousOutputs, person(0).address);
  assert.equal(verified.fee, String(200n * COIN - 5n * COIN));
});

test('[WASM-03] every operation verifies with its owner, who signs after the inputs', () => {
  for (const operation of operationRequests()) {
    const signed = signAll({ operation }, manifest);
    assert.ok(verify(signed.wire, signed.previousOutputs, ownerFor(operation)));
    assert.ok(verify(signed.wire, signed.previousOutputs, person(0).address));
  }
});

test('owners: missing, unexpected, another than the operation names, another than signed', () => {
  for (const operation of operationRequests()) {
    const { wire, previousOutputs } = signAll({ operation }, manifest);
    const named = 'owner_address' in operation.data;
    if (!named) {
      assert.throws(() => verify(wire, previousOutputs, null), { code: 'owner_missing' });
    }
    const code = named ? 'owner_mismatch' : 'key_mismatch';
    const path = named ? undefined : 'witnesses[1]';
    assert.throws(() => verify(wire, previousOutputs, person(1).address), { code, path });
  }
  const { wire, previousOutputs } = signAll({}, manifest);
  const withOwner = () => verify(wire, previousOutputs, person(0).address);
  assert.throws(withOwner, { code: 'owner_unexpected' });
  const burn = encodeAddress(Uint8Array.of(2, ...new Uint8Array(48)), NETWORK);
  const exit = signAll({ operation: operationRequest('exit') }, manifest);
  const burnt = () => verify(exit.wire, exit.previousOutputs, burn);
  assert.throws(burnt, { code: 'profile_mismatch', path: 'witnesses[1]' });
});

test('a signature of another kind does not serve for an operation or a possession', () => {
  const signed = signAll({ operation: operationRequest('rotate_key') }, manifest);
  const { body, witnesses, previousOutputs } = signed;
  const possession = signed.possession as Uint8Array;
  const owner = person(0);
  const assembled = (operation: Uint8Array, proof: Uint8Array) => {
    const spend = witnesses[0] as Uint8Array;
    const last = encodeWitness(owner.publicKey, operation);
    return assembleTransaction(body, [spend, last], manifest.json, proof);
  };
  const message = operationMessage(body, manifest.json);
  const asSpend = assembled(signWith(owner, message, CONTEXTS.spend), possession);
  assert.throws(() => verify(asSpend, previousOutputs, owner.address), {
    code: 'bad_operation_signature',
    path: 'witnesses[1]',
  });
  const right = signWith(owner, message, CONTEXTS.operation);
  const held = possessionMessage(body, manifest.json);
  const wrongProofs = [
    signWith(owner, held, CONTEXTS.possession),
    signWith(person(9), held, CONTEXTS.operation),
    signWith(person(9), message, CONTEXTS.possession),
    new Uint8Array(3309),
  ];
  for (const proof of wrongProofs) {
    const check = () => verify(assembled(right, proof), previousOutputs, owner.address);
    assert.throws(check, { code: 'bad_possession_signature', path: undefined });
  }
  assert.ok(verify(assembled(right, possession), previousOutputs, owner.address));
});

test('an operation signed for one transaction does not serve for another', () => {
  const operation = operationRequest('exit');
  const first = signAll({ operation }, manifest);
  const second = signAll({ operation, payload_hex: '00' }, manifest);
  const mixed = [second.witnesses[0] as Uint8Array, first.witnesses[1] as Uint8Array];
  const wire = assembleTransaction(second.body, mixed, manifest.json);
  assert.throws(() => verify(wire, second.previousOutputs, person(0).address), {
    code: 'bad_operation_signature',
  });
});

test('the fee may be the minimum, and not one atom less', () => {
  const draft = bodyOf({}, manifest);
  const quote = JSON.parse(quoteTransaction(draft, manifest.json)) as TransactionQuote;
  const exact = 5n * COIN + BigInt(quote.minimum_fee);
  const enough = signAll({}, manifest, exact);
  assert.equal(verify(enough.wire, enough.previousOutputs).fee, quote.minimum_fee);
  const short = signAll({}, manifest, exact - 1n);
  const least = BigInt(quote.minimum_fee);
  assert.throws(() => verify(short.wire, short.previousOutputs), {
    code: 'fee_too_low',
    message: `expected a fee of at least ${least} atoms, found ${least - 1n}`,
  });
  const none = signAll({}, manifest, 5n * COIN - 1n);
  assert.throws(() => verify(none.wire, none.previousOutputs), { code: 'insufficient_inputs' });
});

test('inputs together stay within the supply', () => {
  const inputs = [outpoint(0), outpoint(1)];
  const half = 10_000_000_000_000_000n;
  const most = signAll({ inputs }, manifest, half);
  assert.ok(verify(most.wire, most.previousOutputs));
  const previous = [...most.previousOutputs];
  previous[1] = { ...(previous[1] as OutputRequest), amount: String(half + 1n) };
  assert.throws(() => verify(most.wire, previous), { code: 'amount_too_large', path: 'inputs[1]' });
});

test('a signature covers address and amount of what it spends', () => {
  const { wire, previousOutputs } = signAll({}, manifest);
  const [previous] = previousOutputs as [OutputRequest];
  const richer = { ...previous, amount: String(BigInt(previous.amount) + 1n) };
  assert.throws(() => verify(wire, [richer]), {
    code: 'bad_spend_signature',
    path: 'witnesses[0]',
  });
  assert.throws(() => verify(wire, [{ ...previous, address: person(1).address }]), {
    code: 'key_mismatch',
    path: 'witnesses[0]',
  });
});

test('witnesses in another order than the inputs are refused', () => {
  const inputs = [outpoint(0), outpoint(1)];
  const own = signAll({ inputs }, manifest);
  const swap = assembleTransaction(own.body, [...own.witnesses].reverse(), manifest.json);
  assert.throws(() => verify(swap, own.previousOutputs), {
    code: 'bad_spend_signature',
    path: 'witnesses[0]',
  });
  const body = bodyOf({ inputs }, manifest);
  const previous = [0, 1].map((i) => ({ address: person(i).address, amount: String(50n * COIN) }));
  const witnesses = previous.map((output, i) =>
    encodeWitness(person(i).publicKey, spendSignature(person(i), body, i, output)),
  );
  assert.ok(verify(assembleTransaction(body, witnesses, manifest.json), previous));
  const wire = assembleTransaction(body, witnesses.reverse(), manifest.json);
  assert.throws(() => verify(wire, previous), { code: 'key_mismatch', path: 'witnesses[0]' });
});

test('any changed bit of key, signature or body is noticed', () => {
  const { wire, body, previousOutputs } = signAll({ payload_hex: 'abcd' }, manifest);
  const keyAt = 1 + body.length + 1;
  const signatureAt = keyAt + 1952;
  const table: [number, string][] = [
    [keyAt, 'key_mismatch'],
    [keyAt + 1951, 'key_mismatch'],
    [signatureAt, 'bad_spend_signature'],
    [signatureAt + 1000, 'bad_spend_signature'],
    [wire.length - 1, 'bad_spend_signature'],
    [body.length, 'bad_spend_signature'],
  ];
  for (const [at, code] of table) {
    assert.throws(
      () => verify(flip(wire, at), previousOutputs),
      { name: 'SvcError', code },
      `${at}`,
    );
  }
});

test('the number of previous outputs is the number of inputs', () => {
  const { wire, previousOutputs } = signAll({ inputs: [outpoint(0), outpoint(1)] }, manifest);
  const [previous] = previousOutputs as [OutputRequest];
  for (const count of [0, 1, 3, 8, 9, 20]) {
    const list = Array.from({ length: count }, () => previous);
    assert.throws(() => verify(wire, list), { code: 'bad_previous_output' }, `${count}`);
  }
});

test('an output at the burn address is never spendable', () => {
  const { wire } = signAll({}, manifest);
  const address = encodeAddress(Uint8Array.of(2, ...new Uint8Array(48)), NETWORK);
  assert.throws(() => verify(wire, [{ address, amount: '1000000000' }]), {
    code: 'unspendable_output',
    path: 'previous_outputs[0].address',
  });
});

test('[WASM-16] a referenced input is quoted, encoded without key, and verified by the registry', () => {
  const signer = person(0);
  const body = bodyOf({ inputs: [outpoint(0), outpoint(1)] }, manifest);
  const previous = { address: signer.address, amount: String(10n * COIN) };
  const witnesses = [0, 1].map((i) =>
    encodeWitnessWithProfile('referenced', null, spendSignature(signer, body, i, previous)),
  );
  const wire = assembleTransaction(body, witnesses, manifest.json);
  const profiles = JSON.stringify({ inputs: ['referenced', 'referenced'] });
  const quote = JSON.parse(
    quoteTransactionWithInputProfiles(body, profiles, manifest.json),
  ) as TransactionQuote;
  const previousOutputs = [previous, previous];
  const check = (keys: unknown) =>
    verifyTransactionWithReferencedKeys(
      wire,
      JSON.stringify(previousOutputs),
      null,
      JSON.stringify(keys),
      manifest.json,
    );
  const key = { address: signer.address, public_key_hex: toHex(signer.publicKey) };
  const other = { public_key_hex: toHex(person(1).publicKey) };
  const verified = JSON.parse(check([other, key])) as TransactionVerification;
  assert.equal(verified.mass, quote.mass);
  assert.ok(check([{ public_key_hex: key.public_key_hex }]));
  const missing = { code: 'key_not_registered', path: 'witnesses[0]' };
  assert.throws(() => check([]), missing);
  assert.throws(() => check([other]), missing);
  assert.throws(() => verify(wire, previousOutputs), missing);
  assert.throws(() => check([{ ...other, address: signer.address }]), {
    code: 'key_mismatch',
    path: 'registered_keys[0]',
  });
  assert.throws(() => check(Array(28).fill(other)), { code: 'bad_length' });
  for (const keys of [{}, [1], [{}], [{ public_key_hex: 'ab' }], [{ ...key, height: 1 }]]) {
    assert.throws(() => check(keys), { name: 'SvcError' });
  }
});

test('[WASM-12] a transaction bound elsewhere is refused before anything else is looked at', () => {
  const other = manifestWith({ min_fee_per_mass: 11n });
  const { wire, previousOutputs } = signAll({}, other);
  assert.throws(() => verify(wire, previousOutputs), { code: 'wrong_rules' });
});

test('hostile arguments are refused without a TypeError', () => {
  const { wire, previousOutputs } = signAll({}, manifest);
  const text = JSON.stringify(previousOutputs);
  const bad = (value: unknown) => value as never;
  for (const value of [undefined, null, 3, {}, 'ff', [1]]) {
    const check = () => verifyTransaction(bad(value), text, null, manifest.json);
    assert.throws(check, { name: 'SvcError', code: 'bad_type' });
  }
  for (const value of [undefined, null, 3, {}, '', 'null', '{}', '[1]', '[{}]', '[[]]']) {
    const check = () => verifyTransaction(wire, bad(value), null, manifest.json);
    assert.throws(check, { name: 'SvcError' });
    const second = () =>
      verifyTransactionWithReferencedKeys(wire, text, null, bad(value), manifest.json);
    assert.throws(second, { name: 'SvcError' });
  }
  for (const value of [undefined, 3, {}, '', 'dsvc1', 'x'.repeat(5000)]) {
    const check = () => verifyTransaction(wire, text, bad(value), manifest.json);
    assert.throws(check, { name: 'SvcError' });
  }
});
