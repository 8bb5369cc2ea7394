import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededBytes } from '../../test/seeded-bytes.ts';
import type { RawBody } from '../../test/transaction-fixture.ts';
import {
  manifestWith,
  operationRequests,
  person,
  rawBody,
  rawFee,
  rawInputs,
  rawOutputs,
  signAll,
} from '../../test/transaction-fixture.ts';
import { concatBytes } from '../base/bytes.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import { Writer } from '../base/writer.ts';
import { init } from '../entry/node.ts';
import { decodeBody, decodeTransaction } from './decode.ts';
import { OPERATION_TYPES } from './operations.ts';

const SUPPLY = 20_000_000_000_000_000n;
const BURN = new Uint8Array(49).fill(2, 0, 1);

await init();
const manifest = manifestWith();

interface Case {
  readonly what: string;
  readonly change: Partial<RawBody>;
  /** Absent when the body is to be accepted. */
  readonly code?: ErrorCode;
  readonly path?: string;
}

function check({ what, change, code, path }: Case): void {
  const body = rawBody(manifest, change);
  if (code === undefined) {
    assert.deepEqual(decodeBody(body, manifest).body, body, what);
    return;
  }
  const expected = { name: 'SvcError', code, path: path === undefined ? 'body' : `body.${path}` };
  assert.throws(() => decodeBody(body, manifest), expected, what);
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function outputTo(address: Uint8Array): Uint8Array {
  return new Writer().varint(1).raw(address).u64(1n).finish();
}

function operation(tag: number, write: (writer: Writer) => unknown): Uint8Array {
  const writer = new Writer().u8(tag);
  write(writer);
  return writer.finish();
}

const subject = seededBytes('subject', 48);

test('the head of a body is checked field by field', () => {
  const cases: Case[] = [
    { what: 'as it should be', change: {} },
    { what: 'format 0', change: { format: 0 }, code: 'unsupported_version' },
    { what: 'format 3', change: { format: 3 }, code: 'unsupported_version' },
    { what: 'chain', change: { chainId: new Uint8Array(48) }, code: 'wrong_chain' },
    { what: 'version', change: { protocolVersion: 0 }, code: 'wrong_protocol_version' },
    { what: 'rules', change: { rulesId: new Uint8Array(48) }, code: 'wrong_rules' },
    { what: 'window of one cut', change: { validFrom: 5n, validUntil: 5n } },
    { what: 'window reversed', change: { validFrom: 6n, validUntil: 5n }, code: 'bad_window' },
    { what: 'longest window', change: { validFrom: 5n, validUntil: 125n } },
    { what: 'window too long', change: { validFrom: 5n, validUntil: 126n }, code: 'bad_window' },
    { what: 'longest height', change: { validFrom: 2n ** 64n - 121n, validUntil: 2n ** 64n - 1n } },
    {
      what: 'a window that wraps is reversed, not short',
      change: { validFrom: 2n ** 64n - 1n, validUntil: 5n },
      code: 'bad_window',
    },
    {
      what: 'all of time',
      change: { validFrom: 0n, validUntil: 2n ** 64n - 1n },
      code: 'bad_window',
    },
  ];
  for (const item of cases) check(item);
});

test('a declared fee is within what the supply leaves, and there only in format 2', () => {
  const most = 20_000_000_000_000_000n;
  const bond = operation(1, (writer) =>
    writer.raw(subject).raw(person(0).addressBytes).raw(person(1).addressBytes).u64(6n),
  );
  const cases: Case[] = [
    { what: 'nothing', change: rawFee(0n) },
    { what: 'all that is left', change: rawFee(most - 500_000_000n) },
    { what: 'one more', change: rawFee(most - 499_999_999n), code: 'amount_too_large' },
    { what: 'above the supply', change: rawFee(most + 1n), code: 'amount_too_large' },
    { what: 'a sum that wraps', change: rawFee(2n ** 64n - 1n), code: 'amount_too_large' },
    { what: 'beside a bond', change: { ...rawFee(most - 500_000_006n), operation: bond } },
    {
      what: 'one more beside a bond',
      change: { ...rawFee(most - 500_000_005n), operation: bond },
      code: 'amount_too_large',
    },
    { what: 'in format 1', change: { ...rawFee(0n), format: 1 }, code: 'no_inputs' },
  ];
  for (const item of cases) check(item);
  const { declaredFee } = decodeBody(rawBody(manifest, rawFee(77n)), manifest);
  assert.equal(declaredFee, 77n);
  assert.equal(decodeBody(rawBody(manifest), manifest).declaredFee, null);
});

test('repeated inputs are inputs behind the first', () => {
  const inputs = rawInputs(0, 1, 2);
  for (let repeated = 0; repeated < 256; repeated++) {
    const isRight = repeated < 8 && (repeated & 1) === 0;
    const change = { ...rawFee(1n, repeated), inputs };
    const what = `bitmap ${repeated}`;
    check(isRight ? { what, change } : { what, change, code: 'bad_repeated_inputs' });
  }
  const body = rawBody(manifest, { ...rawFee(1n, 0b1010_1010), inputs: rawInputs(...range(8)) });
  const table = decodeBody(body, manifest);
  assert.deepEqual(table.signedInputs, [0, 2, 4, 6]);
});

test('inputs are 1 to 8 and distinct', () => {
  const sameIdOtherIndex = new Writer().varint(2).raw(subject).u32(0).raw(subject).u32(1).finish();
  const cases: Case[] = [
    { what: 'none', change: { inputs: rawInputs() }, code: 'no_inputs' },
    { what: '8', change: { inputs: rawInputs(...range(8)) } },
    { what: '9', change: { inputs: rawInputs(...range(9)) }, code: 'too_many_inputs' },
    { what: 'outputs of one transaction', change: { inputs: sameIdOtherIndex } },
    {
      what: 'first and last equal',
      change: { inputs: rawInputs(0, 1, 2, 3, 4, 5, 6, 0) },
      code: 'duplicate_input',
      path: 'inputs[7]',
    },
    {
      what: 'neighbours equal',
      change: { inputs: rawInputs(4, 4) },
      code: 'duplicate_input',
      path: 'inputs[1]',
    },
  ];
  for (const item of cases) check(item);
});

test('outputs are at most 16, none only with an operation', () => {
  const exit = operation(10, (writer) => writer.raw(subject));
  const cases: Case[] = [
    { what: 'none', change: { outputs: rawOutputs() }, code: 'no_outputs' },
    { what: 'none, operation', change: { outputs: rawOutputs(), operation: exit } },
    { what: '16', change: { outputs: rawOutputs(...range(16).map(() => 1n)) } },
    {
      what: '17',
      change: { outputs: rawOutputs(...range(17).map(() => 1n)) },
      code: 'too_many_outputs',
    },
    { what: 'burn address', change: { outputs: outputTo(BURN) } },
    {
      what: 'burn address with another value',
      change: { outputs: outputTo(concatBytes(BURN.subarray(0, 48), Uint8Array.of(1))) },
      code: 'bad_address',
      path: 'outputs[0]',
    },
    {
      what: 'unknown type',
      change: { outputs: outputTo(concatBytes(Uint8Array.of(3), subject)) },
      code: 'bad_address',
      path: 'outputs[0]',
    },
  ];
  for (const item of cases) check(item);
});

test('amounts and sums stay within the supply and cannot wrap', () => {
  const bad = (amounts: bigint[], code: ErrorCode, index: number): Case => ({
    what: amounts.join(' + '),
    change: { outputs: rawOutputs(...amounts) },
    code,
    path: `outputs[${index}]`,
  });
  const cases: Case[] = [
    { what: 'supply', change: { outputs: rawOutputs(SUPPLY) } },
    { what: 'supply in two', change: { outputs: rawOutputs(SUPPLY - 1n, 1n) } },
    bad([0n], 'zero_amount', 0),
    bad([1n, 0n], 'zero_amount', 1),
    bad([SUPPLY + 1n], 'amount_too_large', 0),
    bad([2n ** 64n - 1n], 'amount_too_large', 0),
    bad([1n, 2n ** 64n - 1n], 'amount_too_large', 1),
    bad([SUPPLY, 1n], 'amount_too_large', 1),
    bad(Array(16).fill(SUPPLY), 'amount_too_large', 1),
  ];
  for (const item of cases) check(item);
});

test('a bond counts with the outputs towards the supply', () => {
  const bond = (amount: bigint) =>
    operation(1, (writer) =>
      writer.raw(subject).raw(person(0).addressBytes).raw(person(0).addressBytes).u64(amount),
    );
  check({ what: 'at', change: { outputs: rawOutputs(SUPPLY - 5n), operation: bond(5n) } });
  check({
    what: 'above',
    change: { outputs: rawOutputs(SUPPLY - 5n), operation: bond(6n) },
    code: 'amount_too_large',
  });
  check({ what: 'zero', change: { operation: bond(0n) }, code: 'zero_amount' });
  check({ what: 'above', change: { operation: bond(SUPPLY + 1n) }, code: 'amount_too_large' });
  const unbond = (amount: bigint) => operation(2, (writer) => writer.raw(subject).u64(amount));
  check({
    what: 'an unbonding moves nothing out of the inputs',
    change: { outputs: rawOutputs(SUPPLY), operation: unbond(SUPPLY) },
  });
  check({ what: 'zero', change: { operation: unbond(0n) }, code: 'zero_amount' });
});

test('fields of operations are checked in their bytes', () => {
  const owner = person(0).addressBytes;
  const commission = (bps: number) => operation(9, (writer) => writer.raw(subject).u16(bps));
  const rotate = (endpoint: Uint8Array) =>
    operation(7, (writer) => writer.raw(subject).raw(person(9).publicKey).raw(endpoint));
  const counted = (length: number) => new Writer().counted(new Uint8Array(length)).finish();
  const reward = (address: Uint8Array) =>
    operation(6, (writer) => writer.raw(subject).raw(address));
  const cases: Case[] = [
    {
      what: 'the first tag without an operation',
      change: { operation: Uint8Array.of(OPERATION_TYPES.length + 1) },
      code: 'unknown_operation',
    },
    { what: 'tag 255', change: { operation: Uint8Array.of(255) }, code: 'unknown_operation' },
    { what: 'commission 1000', change: { operation: commission(1000) } },
    { what: 'commission 1010', change: { operation: commission(1010) }, code: 'bad_commission' },
    { what: 'commission 5', change: { operation: commission(5) }, code: 'bad_commission' },
    { what: 'commission 65535', change: { operation: commission(65535) }, code: 'bad_commission' },
    { what: 'endpoint 1', change: { operation: rotate(counted(1)) } },
    { what: 'endpoint 1024', change: { operation: rotate(counted(1024)) } },
    { what: 'endpoint 0', change: { operation: rotate(counted(0)) }, code: 'bad_endpoint' },
    { what: 'endpoint 1025', change: { operation: rotate(counted(1025)) }, code: 'bad_endpoint' },
    { what: 'reward', change: { operation: reward(owner) } },
    { what: 'reward that cannot be spent', change: { operation: reward(BURN) } },
    {
      what: 'reward of type 7',
      change: { operation: reward(concatBytes(Uint8Array.of(7), subject)) },
      code: 'bad_address',
    },
  ];
  for (const item of cases) check(item);
});

test('payloads and varints have one encoding', () => {
  const payload = (length: number) => new Writer().counted(new Uint8Array(length)).finish();
  const cases: Case[] = [
    { what: 'longest', change: { payload: payload(8192) } },
    { what: 'too long', change: { payload: payload(8193) }, code: 'payload_too_long' },
    { what: 'padded 0', change: { payload: Uint8Array.of(0x80, 0x00) }, code: 'not_canonical' },
    { what: 'padded 1', change: { payload: Uint8Array.of(0x81, 0, 7) }, code: 'not_canonical' },
    {
      what: 'padded count of inputs',
      change: { inputs: concatBytes(Uint8Array.of(0x81, 0x00), rawInputs(0).subarray(1)) },
      code: 'not_canonical',
    },
    {
      what: 'padded count of outputs',
      change: { outputs: concatBytes(Uint8Array.of(0x81, 0x80, 0), rawOutputs(1n).subarray(1)) },
      code: 'not_canonical',
    },
    {
      what: '2^32 - 1',
      change: { payload: Uint8Array.of(255, 255, 255, 255, 15) },
      code: 'payload_too_long',
    },
    {
      what: '2^32',
      change: { payload: Uint8Array.of(128, 128, 128, 128, 16) },
      code: 'not_canonical',
    },
    {
      what: 'six bytes',
      change: { payload: Uint8Array.of(128, 128, 128, 128, 128, 1) },
      code: 'not_canonical',
    },
    { what: 'unfinished', change: { payload: Uint8Array.of(0x80) }, code: 'truncated' },
    { what: 'trailing byte', change: { payload: Uint8Array.of(0, 0) }, code: 'trailing_bytes' },
  ];
  for (const item of cases) check(item);
});

test('a body cut short anywhere is truncated, and one byte more is refused', () => {
  for (const overrides of [{}, ...operationRequests().map((item) => ({ operation: item }))]) {
    const { body } = signAll(overrides, manifest);
    for (let length = 0; length < body.length; length += length < 300 ? 1 : 97) {
      const cut = body.subarray(0, length);
      assert.throws(() => decodeBody(cut, manifest), { code: 'truncated' }, `${length}`);
    }
    const longer = concatBytes(body, Uint8Array.of(0));
    assert.throws(() => decodeBody(longer, manifest), { code: 'trailing_bytes' });
  }
});

test('a transaction cut short anywhere is truncated, and one byte more is refused', () => {
  for (const overrides of [{}, ...operationRequests().map((item) => ({ operation: item }))]) {
    const { wire } = signAll(overrides, manifest);
    for (let length = 0; length < wire.length; length += 181) {
      const cut = wire.subarray(0, length);
      assert.throws(() => decodeTransaction(cut, manifest), { code: 'truncated' }, `${length}`);
    }
    assert.throws(() => decodeTransaction(wire.subarray(0, -1), manifest), { code: 'truncated' });
    const longer = concatBytes(wire, Uint8Array.of(0));
    assert.throws(() => decodeTransaction(longer, manifest), { code: 'trailing_bytes' });
  }
});

test('a transaction of another format, or larger than allowed, is refused', () => {
  const { wire } = signAll({}, manifest);
  const other = Uint8Array.from(wire).fill(2, 0, 1);
  assert.throws(() => decodeTransaction(other, manifest), { code: 'unsupported_version' });
  const small = manifestWith({ max_transaction_bytes: BigInt(wire.length) });
  const signed = signAll({}, small);
  assert.equal(signed.wire.length, wire.length);
  const smaller = manifestWith({ max_transaction_bytes: BigInt(wire.length - 1) });
  assert.throws(() => signAll({}, smaller), { code: 'transaction_too_large' });
  for (const length of [60_001, 600_000]) {
    const huge = new Uint8Array(length);
    assert.throws(() => decodeTransaction(huge, manifest), { code: 'transaction_too_large' });
    assert.throws(() => decodeBody(huge, manifest), { code: 'transaction_too_large' });
  }
});

test('what is no Uint8Array is refused without a TypeError', () => {
  for (const value of [undefined, null, 'ab', 3, {}, [1], new ArrayBuffer(8), new Uint16Array(4)]) {
    const bytes = value as never;
    assert.throws(() => decodeBody(bytes, manifest), { name: 'SvcError', code: 'bad_type' });
    assert.throws(() => decodeTransaction(bytes, manifest), { name: 'SvcError', code: 'bad_type' });
  }
});

test('a decoded body does not change with the bytes it was decoded from', () => {
  const body = Buffer.from(rawBody(manifest));
  const table = decodeBody(body, manifest);
  const outputs = table.outputs;
  body.fill(0xff);
  assert.deepEqual(table.outputs, outputs);
});
