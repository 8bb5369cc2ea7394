import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OK, TOO_MANY_KEYS } from '../../assembly/errors.ts';
import { MANIFEST_BYTES, TABLE_BYTES } from '../../assembly/transaction/layout.ts';
import { kernelTwins } from '../../test/kernel-twins.ts';
import type { Signed } from '../../test/transaction-fixture.ts';
import {
  COIN,
  manifestWith,
  operationRequest,
  operationRequests,
  outpoint,
  person,
  signAll,
} from '../../test/transaction-fixture.ts';
import { concatBytes, toHex } from '../base/bytes.ts';
import { init } from '../entry/node.ts';
import { kernel } from '../kernel/current.ts';
import type { KernelInstance } from '../kernel/instance.ts';
import { transactionId } from './inspect-body.ts';
import { previousOutputBytes } from './previous-output.ts';
import type { VerifyRequest } from './verify-bytes.ts';
import { verifyTransactionBytes } from './verify-bytes.ts';

const NOTHING = new Uint8Array(0);

await init();
const manifest = manifestWith();

function requestOf(signed: Signed, owner: Uint8Array | null = null): VerifyRequest {
  const outputs = signed.previousOutputs.map(({ amount }) =>
    previousOutputBytes(person(0).addressBytes, BigInt(amount)),
  );
  return {
    wire: signed.wire,
    previousOutputs: concatBytes(...outputs),
    owner,
    registeredKeys: NOTHING,
  };
}

test('a verdict carries what the kernel found', () => {
  const signed = signAll({ inputs: [outpoint(0), outpoint(1)] }, manifest);
  const verdict = verifyTransactionBytes(requestOf(signed), manifest);
  assert.ok(verdict.accepted);
  assert.equal(toHex(verdict.table.id), transactionId(signed.body, manifest.json));
  assert.equal(verdict.table.fee, 195n * COIN);
  assert.equal(verdict.table.wireBytes, signed.wire.length);
  assert.equal(verdict.table.inputs.length, 2);
  assert.equal(verdict.table.validUntil, 1100n);
});

test('a verdict keeps the bytes it was made for', () => {
  const signed = signAll({ inputs: [outpoint(0)], payload_hex: '0badc0de' }, manifest);
  const wire = Buffer.from(signed.wire);
  const verdict = verifyTransactionBytes({ ...requestOf(signed), wire }, manifest);
  assert.ok(verdict.accepted);
  const { table } = verdict;
  const [input] = table.inputs;
  wire.fill(0xff);
  input?.transactionId.fill(0);
  const other = signAll({ inputs: [outpoint(5)], payload_hex: 'ffffffff' }, manifest);
  assert.ok(verifyTransactionBytes(requestOf(other), manifest).accepted);
  assert.deepEqual(table.bytes, signed.wire);
  assert.equal(toHex(table.inputs[0]?.transactionId as Uint8Array), outpoint(0).transaction_id);
  assert.equal(toHex(table.payload), '0badc0de');
});

test('a refusal is a value, not an exception', () => {
  const signed = signAll({}, manifest);
  const request = requestOf(signed);
  const refusals: [VerifyRequest, string][] = [
    [{ ...request, wire: signed.wire.subarray(1) }, 'unsupported_version'],
    [{ ...request, wire: NOTHING }, 'truncated'],
    [{ ...request, wire: new Uint8Array(60_001) }, 'transaction_too_large'],
    [{ ...request, previousOutputs: NOTHING }, 'bad_previous_output'],
    [{ ...request, previousOutputs: new Uint8Array(57) }, 'bad_previous_output'],
    [{ ...request, previousOutputs: new Uint8Array(9 * 57) }, 'bad_previous_output'],
    [{ ...request, registeredKeys: new Uint8Array(28 * 1952) }, 'bad_length'],
    [{ ...request, owner: person(0).addressBytes }, 'owner_unexpected'],
  ];
  for (const [bad, code] of refusals) {
    const verdict = verifyTransactionBytes(bad, manifest);
    assert.ok(!verdict.accepted);
    assert.equal(verdict.error.code, code);
  }
  assert.ok(verifyTransactionBytes(request, manifest).accepted);
});

test('previous outputs in bytes: unknown types, the burn address, amounts', () => {
  const signed = signAll({}, manifest);
  const burn = new Uint8Array(49).fill(2, 0, 1);
  const unknown = new Uint8Array(49).fill(3, 0, 1);
  const table: [Uint8Array, bigint, string][] = [
    [burn, 100n * COIN, 'unspendable_output'],
    [unknown, 100n * COIN, 'bad_previous_output'],
    [Uint8Array.from(burn).fill(1, 48), 100n * COIN, 'bad_previous_output'],
    [person(0).addressBytes, 0n, 'bad_previous_output'],
    [person(0).addressBytes, 2n ** 64n - 1n, 'bad_previous_output'],
    [person(0).addressBytes, 20_000_000_000_000_001n, 'bad_previous_output'],
  ];
  for (const [address, amount, code] of table) {
    const previousOutputs = previousOutputBytes(address, amount);
    const verdict = verifyTransactionBytes({ ...requestOf(signed), previousOutputs }, manifest);
    assert.ok(!verdict.accepted);
    assert.equal(verdict.error.code, code);
    assert.equal(verdict.error.path, 'inputs[0]');
  }
});

test('bytes of a length that holds no whole items are a mistake of the caller', () => {
  const request = requestOf(signAll({}, manifest));
  const bad: VerifyRequest[] = [
    { ...request, previousOutputs: new Uint8Array(58) },
    { ...request, registeredKeys: new Uint8Array(1951) },
    { ...request, owner: new Uint8Array(48) },
  ];
  for (const value of bad) {
    assert.throws(() => verifyTransactionBytes(value, manifest), { code: 'bad_length' });
  }
});

test('cheap checks come first: a fee too low is named although the signature is wrong too', () => {
  const signed = signAll({}, manifest, 5n * COIN);
  const wire = Uint8Array.from(signed.wire);
  wire.fill(0, wire.length - 3309);
  const verdict = verifyTransactionBytes({ ...requestOf(signed), wire }, manifest);
  assert.ok(!verdict.accepted);
  assert.equal(verdict.error.code, 'fee_too_low');
});

test('keys kept from one call do not serve for another key', () => {
  const first = signAll({ operation: operationRequest('rotate_key') }, manifest);
  const second = signAll({}, manifest);
  for (let round = 0; round < 3; round++) {
    const owner = person(0).addressBytes;
    assert.ok(verifyTransactionBytes(requestOf(first, owner), manifest).accepted);
    assert.ok(verifyTransactionBytes(requestOf(second), manifest).accepted);
    const stolen = {
      ...requestOf(second),
      previousOutputs: previousOutputBytes(person(1).addressBytes, 100n * COIN),
    };
    assert.ok(!verifyTransactionBytes(stolen, manifest).accepted);
  }
});

/** Verifies with an instance of one's own; returns the error number and the table. */
function verifyWith(
  instance: KernelInstance,
  request: VerifyRequest,
  keyCount = 0,
): [number, Uint8Array] {
  const at = instance.input;
  const wireAt = at + MANIFEST_BYTES;
  const previousAt = wireAt + request.wire.length;
  const ownerAt = previousAt + request.previousOutputs.length;
  instance.bytes.set(manifest.block, at);
  instance.bytes.set(request.wire, wireAt);
  instance.bytes.set(request.previousOutputs, previousAt);
  if (request.owner !== null) instance.bytes.set(request.owner, ownerAt);
  const count = request.previousOutputs.length / 57;
  const owner = request.owner === null ? 0 : ownerAt;
  const error = instance.invoke((exports) =>
    exports.txVerify(at, wireAt, request.wire.length, previousAt, count, owner, ownerAt, keyCount),
  );
  return [error, instance.bytes.slice(instance.output, instance.output + TABLE_BYTES)];
}

test('as many registered keys as a transaction can use are taken, and the kernel takes no more', () => {
  const request = requestOf(signAll({}, manifest));
  const keys = concatBytes(...Array.from({ length: 27 }, () => person(0).publicKey));
  const verdict = verifyTransactionBytes({ ...request, registeredKeys: keys }, manifest);
  assert.ok(verdict.accepted);
  assert.equal(verifyWith(kernel(), request, 27)[0], OK);
  assert.equal(verifyWith(kernel(), request, 28)[0], TOO_MANY_KEYS);
});

test('both builds of the kernel come to the same verdict and the same table', async () => {
  const twins = await kernelTwins({ expandedKeySlots: 0 });
  const requests = [undefined, ...operationRequests()].flatMap((operation) => {
    const signed = signAll(operation === undefined ? {} : { operation }, manifest);
    const owner = operation === undefined ? null : person(0).addressBytes;
    const request = requestOf(signed, owner);
    const damaged = Uint8Array.from(signed.wire);
    damaged[signed.wire.length - 200] = (damaged[signed.wire.length - 200] as number) ^ 4;
    return [request, { ...request, wire: damaged }, { ...request, wire: damaged.subarray(2) }];
  });
  const [verdicts, ...others] = twins.map(({ instance }) =>
    requests.map((request) => verifyWith(instance, request)),
  );
  for (const other of others) assert.deepEqual(other, verdicts);
  assert.equal(verdicts?.filter(([error]) => error === 0).length, requests.length / 3);
});
