import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import {
  bodyOf,
  CHAIN_ID,
  manifestWith,
  NETWORK,
  operationRequests,
  outpoint,
  payment,
  person,
  rawBody,
} from '../../test/transaction-fixture.ts';
import { fromHex, toHex } from '../base/bytes.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import { init } from '../entry/node.ts';
import { createManifest } from '../manifest/manifest.ts';
import { encodeAddress } from '../text/address.ts';
import { encodeTransactionBody } from './encode-body.ts';
import { inspectTransactionBody, transactionId } from './inspect-body.ts';
import type { TransactionRequest } from './request.ts';

await init();
const manifest = manifestWith();

function refuses(request: unknown, code: ErrorCode, path: string | undefined): void {
  const text = typeof request === 'string' ? request : JSON.stringify(request);
  const encode = () => encodeTransactionBody(text, manifest.json);
  assert.throws(encode, { name: 'SvcError', code, path }, text.slice(0, 300));
}

function inspect(body: Uint8Array): Record<string, unknown> {
  return JSON.parse(inspectTransactionBody(body, manifest.json)) as Record<string, unknown>;
}

test('[BODY-01] [BODY-02] [BODY-03] [BODY-04] [BODY-05] a request becomes the documented bytes', () => {
  const body = bodyOf({ payload_hex: 'c0ffee' }, manifest);
  const input = outpoint(0);
  const expected =
    `01${CHAIN_ID}01000000${toHex(manifest.rulesId)}` +
    'e803000000000000' +
    '4c04000000000000' +
    `01${input.transaction_id}00000000` +
    `01${toHex(person(1).addressBytes)}0065cd1d00000000` +
    '00' +
    '03c0ffee';
  assert.equal(toHex(body), expected);
});

test('[WASM-02] the transaction id is the labelled hash of the body', () => {
  const body = bodyOf({}, manifest);
  const expected = createHash('sha384').update('SVC_TX_V1').update(body).digest('hex');
  assert.equal(transactionId(body, manifest.json), expected);
  assert.equal(inspect(body)['transaction_id'], expected);
});

test('[WASM-02] an inspection shows the request again, with id and network', () => {
  const requests: TransactionRequest[] = [
    payment(),
    payment({ payload_hex: 'ff'.repeat(8192), valid_from_height: '0', valid_until_height: '0' }),
    payment({
      valid_from_height: '18446744073709551495',
      valid_until_height: '18446744073709551615',
      inputs: Array.from({ length: 8 }, (_, i) => outpoint(i)),
      outputs: Array.from({ length: 16 }, (_, i) => ({
        address: person(i % 4).address,
        amount: String(i + 1),
      })),
    }),
  ];
  for (const request of requests) {
    const body = encodeTransactionBody(JSON.stringify(request), manifest.json);
    const { transaction_id: id, network, ...shown } = inspect(body);
    assert.deepEqual(shown, request);
    assert.equal(network, NETWORK);
    assert.match(String(id), /^[0-9a-f]{96}$/);
  }
});

test('[BODY-06] a body may carry any of the ten operations, and shows it again', () => {
  const tags = new Set<number>();
  for (const operation of operationRequests()) {
    const body = bodyOf({ operation, outputs: [] }, manifest);
    const { operation: shown, outputs } = inspect(body);
    assert.deepEqual(shown, operation);
    assert.deepEqual(outputs, []);
    tags.add(body[1 + 48 + 4 + 48 + 8 + 8 + 1 + 52 + 1] as number);
  }
  assert.deepEqual([...tags].slice(0, 10), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('[BODY-06] a transaction spends at most 8 outputs', () => {
  const inputs = Array.from({ length: 9 }, (_, i) => outpoint(i));
  assert.ok(bodyOf({ inputs: inputs.slice(1) }, manifest));
  refuses(payment({ inputs }), 'too_many_inputs', undefined);
});

test('an address in upper case encodes to the same bytes', () => {
  const address = person(1).address.toUpperCase();
  const body = bodyOf({ outputs: [{ address, amount: '500000000' }] }, manifest);
  assert.deepEqual(body, bodyOf({}, manifest));
});

test('counts, windows and payloads are refused with the rule they break', () => {
  const output = { address: person(1).address, amount: '1' };
  refuses(payment({ inputs: [] }), 'no_inputs', undefined);
  refuses(payment({ outputs: [] }), 'no_outputs', undefined);
  refuses(payment({ outputs: Array(17).fill(output) }), 'too_many_outputs', undefined);
  refuses(payment({ inputs: Array(257).fill(outpoint(0)) }), 'bad_length', 'inputs');
  refuses(
    payment({ inputs: [outpoint(0), outpoint(1), outpoint(0)] }),
    'duplicate_input',
    'inputs[2]',
  );
  refuses(payment({ valid_until_height: '999' }), 'bad_window', undefined);
  refuses(payment({ valid_until_height: '1121' }), 'bad_window', undefined);
  assert.ok(bodyOf({ valid_until_height: '1120' }, manifest));
  refuses(payment({ payload_hex: '00'.repeat(8193) }), 'payload_too_long', 'payload_hex');
});

test('amounts are above zero and within the supply, alone and together', () => {
  const outputs = (...amounts: string[]) => ({
    outputs: amounts.map((amount) => ({ address: person(1).address, amount })),
  });
  assert.ok(bodyOf(outputs('20000000000000000'), manifest));
  assert.ok(bodyOf(outputs('19999999999999999', '1'), manifest));
  refuses(payment(outputs('1', '0')), 'zero_amount', 'outputs[1].amount');
  refuses(payment(outputs('20000000000000001')), 'amount_too_large', 'outputs[0].amount');
  refuses(payment(outputs('18446744073709551616')), 'out_of_range', 'outputs[0].amount');
  refuses(payment(outputs('20000000000000000', '1')), 'amount_too_large', 'outputs[1]');
  for (const amount of ['01', '-1', '1.0', '1e3', '', ' 1', '0x1', '99999999999999999999999']) {
    refuses(payment(outputs(amount)), 'bad_integer', 'outputs[0].amount');
  }
});

test("limits of the manifest below the protocol's own are kept", () => {
  const narrow = manifestWith({
    max_inputs: 1n,
    max_outputs: 1n,
    max_payload_bytes: 2n,
    max_validity_cuts: 5n,
  });
  const encode = (changes: Partial<TransactionRequest>) =>
    bodyOf({ valid_until_height: '1005', ...changes }, narrow);
  assert.ok(encode({ payload_hex: 'abcd' }));
  const output = payment().outputs[0] as TransactionRequest['outputs'][number];
  const table: [Partial<TransactionRequest>, ErrorCode][] = [
    [{ inputs: [outpoint(0), outpoint(1)] }, 'too_many_inputs'],
    [{ outputs: [output, output] }, 'too_many_outputs'],
    [{ payload_hex: 'abcdef' }, 'payload_too_long'],
    [{ valid_until_height: '1006' }, 'bad_window'],
  ];
  for (const [changes, code] of table) assert.throws(() => encode(changes), { code });
  const tiny = manifestWith({ max_transaction_bytes: 200n });
  assert.throws(() => bodyOf({}, tiny), { code: 'transaction_too_large' });
});

test('an address of another network is refused', () => {
  const address = encodeAddress(person(1).addressBytes, 'mainnet');
  refuses(payment({ outputs: [{ address, amount: '1' }] }), 'wrong_network', 'outputs[0].address');
});

test('outputs and rewards may go to the burn address; it can own nothing', () => {
  const burn = encodeAddress(Uint8Array.of(2, ...new Uint8Array(48)), NETWORK);
  assert.ok(bodyOf({ outputs: [{ address: burn, amount: '1' }] }, manifest));
  for (const operation of operationRequests()) {
    for (const name of ['owner_address', 'reward_address']) {
      if (!(name in operation.data)) continue;
      const data = { ...operation.data, [name]: burn };
      const request = { ...payment(), operation: { type: operation.type, data } };
      if (name === 'reward_address')
        assert.ok(encodeTransactionBody(JSON.stringify(request), manifest.json));
      else refuses(request, 'burn_not_allowed', `operation.data.${name}`);
    }
  }
});

test('commissions are 0 to 1,000 basis points in steps of 10', () => {
  for (const type of ['commission', 'validator_register'] as const) {
    const found = operationRequests().find((operation) => operation.type === type);
    const request = (commission: string) => ({
      ...payment(),
      operation: { type, data: { ...found?.data, commission_bps: commission } },
    });
    for (const commission of ['0', '10', '500', '990', '1000']) {
      assert.ok(encodeTransactionBody(JSON.stringify(request(commission)), manifest.json));
    }
    for (const commission of ['1', '5', '15', '995', '1001', '1010', '65536', '4294967295']) {
      refuses(request(commission), 'bad_commission', 'operation.data.commission_bps');
    }
    refuses(request('4294967296'), 'out_of_range', 'operation.data.commission_bps');
  }
});

test('overlay endpoints have 1 to 1,024 bytes', () => {
  for (const operation of operationRequests()) {
    if (!('overlay_endpoint_hex' in operation.data)) continue;
    const request = (bytes: number) => ({
      ...payment(),
      operation: {
        type: operation.type,
        data: { ...operation.data, overlay_endpoint_hex: 'ab'.repeat(bytes) },
      },
    });
    for (const bytes of [1, 127, 128, 1024]) {
      const body = encodeTransactionBody(JSON.stringify(request(bytes)), manifest.json);
      assert.deepEqual(inspect(body)['operation'], request(bytes).operation);
    }
    for (const bytes of [0, 1025]) {
      refuses(request(bytes), 'bad_endpoint', 'operation.data.overlay_endpoint_hex');
    }
  }
});

test('every field of a request must be there, with its type, and no other', () => {
  const wrong = [null, true, 7, [], {}, [[]], ['x'], 'x', ''];
  for (const name of Object.keys(payment())) {
    const { [name]: _, ...rest } = payment() as unknown as Record<string, unknown>;
    refuses(rest, 'missing_field', name);
    for (const value of wrong) {
      if (name === 'payload_hex' && value === '') continue;
      const text = JSON.stringify({ ...payment(), [name]: value });
      assert.throws(() => encodeTransactionBody(text, manifest.json), { name: 'SvcError' }, text);
    }
  }
  refuses({ ...payment(), amount: '1' }, 'unknown_field', 'amount');
  for (const fee of ['-1', '01', '1.5', '', 1, null, true, [], {}]) {
    const text = JSON.stringify({ ...payment(), fee });
    assert.throws(() => encodeTransactionBody(text, manifest.json), { path: 'fee' }, text);
  }
  refuses({ ...payment(), fee: '20000000000000001' }, 'amount_too_large', 'fee');
  const [input] = payment().inputs;
  refuses(
    payment({ inputs: [{ ...input, amount: '1' } as never] }),
    'unknown_field',
    'inputs[0].amount',
  );
  for (const index of ['-1', '4294967296', 'x', 1, null]) {
    const inputs = [{ ...input, output_index: index }];
    const text = JSON.stringify({ ...payment(), inputs });
    assert.throws(() => encodeTransactionBody(text, manifest.json), {
      path: 'inputs[0].output_index',
    });
  }
});

test('every field of an operation must be there, with its type, and no other', () => {
  for (const operation of operationRequests()) {
    const request = (data: unknown) => ({
      ...payment(),
      operation: { type: operation.type, data },
    });
    for (const name of Object.keys(operation.data)) {
      const { [name]: _, ...rest } = operation.data as unknown as Record<string, unknown>;
      refuses(request(rest), 'missing_field', `operation.data.${name}`);
      for (const value of [null, 7, [], {}, '!', 'AB']) {
        const text = JSON.stringify(request({ ...operation.data, [name]: value }));
        const encode = () => encodeTransactionBody(text, manifest.json);
        assert.throws(encode, { name: 'SvcError', path: `operation.data.${name}` }, text);
      }
    }
    refuses(request({ ...operation.data, extra: '1' }), 'unknown_field', 'operation.data.extra');
  }
  for (const type of ['', 'Bond', 'none', 'toString', '__proto__']) {
    refuses({ ...payment(), operation: { type, data: {} } }, 'unknown_operation', 'operation.type');
  }
  refuses({ ...payment(), operation: null }, 'bad_type', 'operation');
});

test('hostile JSON is refused without a TypeError', () => {
  const texts = [
    '',
    'null',
    '[]',
    '{"inputs":1,"inputs":2}',
    '['.repeat(100_000),
    `{"inputs":${'['.repeat(40)}${']'.repeat(40)}}`,
    '{"__proto__":{"inputs":[]}}',
    '{"constructor":1}',
    '\ud800',
    '{"valid_from_height":1e400}',
    ' '.repeat((1 << 20) + 1),
  ];
  for (const text of texts) {
    const encode = () => encodeTransactionBody(text, manifest.json);
    assert.throws(encode, { name: 'SvcError' }, text.slice(0, 40));
  }
  for (const value of [undefined, null, 3, {}, new Uint8Array(4)]) {
    const encode = () => encodeTransactionBody(value as never, manifest.json);
    assert.throws(encode, { name: 'SvcError' });
  }
});

test('[WASM-12] [VER-05] bodies bound elsewhere are distinguished', () => {
  const other = createManifest(NETWORK, new Uint8Array(48).fill(1));
  const cheaper = createManifest(NETWORK, fromHex(CHAIN_ID), { min_fee_per_mass: 9n });
  const table: [Uint8Array, ErrorCode][] = [
    [bodyOf({}, other), 'wrong_chain'],
    [bodyOf({}, cheaper), 'wrong_rules'],
    [rawBody(manifest, { protocolVersion: 2 }), 'wrong_protocol_version'],
  ];
  for (const [body, code] of table) {
    assert.throws(() => transactionId(body, manifest.json), { code, path: 'body' });
    assert.throws(() => inspectTransactionBody(body, manifest.json), { code, path: 'body' });
  }
});
