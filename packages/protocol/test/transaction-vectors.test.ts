/**
 * The vectors of `vectors/transactions.json`, met by the module and by a second reading of
 * `docs/protocol.md` that shares no code with it: another parser, OpenSSL's SHA-384, noble's ML-DSA.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js';
import { bech32m } from '@scure/base';
import * as svc from '../src/entry/node.ts';

await svc.init();

interface Output {
  readonly address: string;
  readonly amount: string;
}

interface Vectors {
  readonly manifest: Record<string, string | number>;
  readonly bodies: readonly {
    readonly request: svc.TransactionRequest;
    readonly body_hex: string;
    readonly transaction_id: string;
    readonly quote: svc.TransactionQuote;
  }[];
  readonly transactions: readonly {
    readonly name: string;
    readonly wire_hex: string;
    readonly previous_outputs: readonly Output[];
    readonly owner_address: string | null;
    readonly registered_keys: readonly { readonly public_key_hex: string }[];
    readonly spend_messages: readonly string[];
    readonly operation_message?: string;
    readonly possession_message?: string;
    readonly verification: svc.TransactionVerification;
  }[];
  readonly refused: readonly {
    readonly name: string;
    readonly body_hex: string;
    readonly code: string;
  }[];
}

const vectors = JSON.parse(
  readFileSync(new URL('../../../vectors/transactions.json', import.meta.url), 'utf8'),
) as Vectors;
const manifestJson = JSON.stringify(vectors.manifest);

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

function labelled(label: string, ...parts: readonly Uint8Array[]): Buffer {
  return createHash('sha384')
    .update(Buffer.concat([Buffer.from(label, 'ascii'), ...parts]))
    .digest();
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

function addressBytes(text: string): Buffer {
  const { words } = bech32m.decode(text as `${string}1${string}`, 90);
  return Buffer.concat([Uint8Array.of(words[0] as number), bech32m.fromWords(words.slice(1))]);
}

function addressText(bytes: Uint8Array): string {
  const words = bech32m.toWords(bytes.subarray(1));
  return bech32m.encode('dsvc', [bytes[0] as number, ...words], 90);
}

/** Reads the fields of a transaction one after another. */
class Taker {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  take(length: number): Buffer {
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    assert.equal(taken.length, length);
    this.#at += length;
    return taken;
  }

  get at(): number {
    return this.#at;
  }

  u8(): number {
    return this.take(1).readUInt8();
  }

  u64(): string {
    return String(this.take(8).readBigUInt64LE());
  }

  varint(): number {
    const byte = this.u8();
    return byte < 128 ? byte : byte - 128 + 128 * this.varint();
  }

  list<T>(item: () => T): T[] {
    return Array.from({ length: this.varint() }, item);
  }

  end(): void {
    assert.equal(this.#at, this.#bytes.length);
  }
}

const TYPES =
  'bond unbond withdraw validator_register heartbeat reward_address rotate_key endpoint commission exit';

const TAKE: Readonly<Record<string, (from: Taker) => string>> = {
  validator_id: (from) => from.take(48).toString('hex'),
  position_id: (from) => from.take(48).toString('hex'),
  owner_address: (from) => addressText(from.take(49)),
  reward_address: (from) => addressText(from.take(49)),
  amount: (from) => from.u64(),
  epoch: (from) => from.u64(),
  commission_bps: (from) => String(from.take(2).readUInt16LE()),
  consensus_public_key_hex: (from) => from.take(1952).toString('hex'),
  overlay_endpoint_hex: (from) => from.take(from.varint()).toString('hex'),
};

const FIELDS: Readonly<Record<string, string>> = {
  bond: 'validator_id owner_address reward_address amount',
  unbond: 'position_id amount',
  withdraw: 'position_id',
  validator_register:
    'owner_address reward_address amount commission_bps consensus_public_key_hex overlay_endpoint_hex',
  heartbeat: 'validator_id epoch',
  reward_address: 'position_id reward_address',
  rotate_key: 'validator_id consensus_public_key_hex overlay_endpoint_hex',
  endpoint: 'validator_id consensus_public_key_hex overlay_endpoint_hex',
  commission: 'validator_id commission_bps',
  exit: 'validator_id',
};

interface Read {
  readonly request: Record<string, unknown>;
  readonly operation: { readonly type: string; readonly data: Record<string, string> } | undefined;
  readonly id: Buffer;
}

function readBody(from: Taker, whole: Buffer): Read {
  const start = from.at;
  const format = from.u8();
  assert.ok(format === 1 || format === 2);
  assert.equal(from.take(48).toString('hex'), vectors.manifest['chain_id']);
  assert.equal(from.take(4).readUInt32LE(), 1);
  assert.equal(from.take(48).toString('hex'), vectors.manifest['rules_id']);
  const window = { valid_from_height: from.u64(), valid_until_height: from.u64() };
  const fee = format === 2 ? { fee: from.u64() } : {};
  const repeated = format === 2 ? from.u8() : 0;
  let place = 0;
  const inputs = from.list(() => ({
    transaction_id: from.take(48).toString('hex'),
    output_index: String(from.take(4).readUInt32LE()),
    ...((repeated >> place++) & 1 ? { repeated: true } : {}),
  }));
  assert.ok((repeated & 1) === 0 && repeated >> inputs.length === 0);
  const outputs = from.list(() => ({ address: addressText(from.take(49)), amount: from.u64() }));
  const type = TYPES.split(' ')[from.u8() - 1];
  const names = type === undefined ? [] : (FIELDS[type] as string).split(' ');
  const data = Object.fromEntries(names.map((name) => [name, TAKE[name]?.(from) ?? '']));
  const operation = type === undefined ? undefined : { type, data };
  const payload = from.take(from.varint()).toString('hex');
  const request = { ...window, ...fee, inputs, outputs, payload_hex: payload };
  return {
    request: operation === undefined ? request : { ...request, operation },
    operation,
    id: labelled('SVC_TX_V1', whole.subarray(start, from.at)),
  };
}

test('[WASM-02] bodies, ids and quotes follow the document', () => {
  for (const { request, body_hex, transaction_id, quote } of vectors.bodies) {
    const encoded = svc.encodeTransactionBody(JSON.stringify(request), manifestJson);
    assert.equal(Buffer.from(encoded).toString('hex'), body_hex);
    assert.equal(svc.transactionId(encoded, manifestJson), transaction_id);
    assert.deepEqual(JSON.parse(svc.quoteTransaction(encoded, manifestJson)), quote);

    const bytes = hex(body_hex);
    const from = new Taker(bytes);
    const read = readBody(from, bytes);
    from.end();
    assert.deepEqual(read.request, request);
    assert.equal(read.id.toString('hex'), transaction_id);
    const possession = body_hex.length > 4000 ? 1 : 0;
    const repeated = request.inputs.filter((input) => input.repeated === true).length;
    const witnesses = request.inputs.length + (request.operation === undefined ? 0 : 1);
    const inline = witnesses - repeated;
    const wireBytes = 1 + bytes.length + inline * 5262 + repeated + possession * 3309;
    const mass = wireBytes + 3000 * (inline + possession) + 500 * request.outputs.length;
    assert.deepEqual(quote, {
      wire_bytes: String(wireBytes),
      mass: String(mass),
      minimum_fee: String(10 * mass),
      signatures: String(inline + possession),
    });
  }
});

/** Reads a witness and checks it against the address; returns the number of signatures. */
function checkWitness(
  from: Taker,
  address: Buffer,
  message: Buffer,
  context: string,
  registered: readonly Buffer[],
): number {
  const holds = (key: Buffer | undefined, signature: Buffer) =>
    assert.ok(
      key !== undefined &&
        ml_dsa65.verify(signature, message, key, { context: Buffer.from(context, 'ascii') }),
    );
  const find = (hash: Buffer) => registered.find((key) => labelled('SVC_KEY_V1', key).equals(hash));
  const profile = from.u8();
  const hash = address.subarray(1);
  if (profile < 2) {
    assert.equal(address[0], 0);
    const key = profile === 0 ? from.take(1952) : find(hash);
    assert.ok(key !== undefined && labelled('SVC_KEY_V1', key).equals(hash));
    holds(key, from.take(3309));
    return 1;
  }
  assert.equal(address[0], 1);
  const [threshold, members] = [from.u8(), from.u8()];
  const hashes = Array.from({ length: members }, () => from.take(48));
  const policy = labelled('SVC_MULTISIG_V1', Uint8Array.of(threshold, members), ...hashes);
  assert.ok(policy.equals(hash));
  const bitmap = from.u8();
  const signers = hashes.filter((_, i) => ((bitmap >> i) & 1) === 1);
  assert.equal(signers.length, threshold);
  for (const signer of signers) {
    const key = profile === 2 ? from.take(1952) : find(signer);
    assert.ok(key !== undefined && labelled('SVC_KEY_V1', key).equals(signer));
    holds(key, from.take(3309));
  }
  return threshold;
}

test('[WASM-03] transactions and what is signed follow the document', () => {
  for (const vector of vectors.transactions) {
    const wire = hex(vector.wire_hex);
    const verified = svc.verifyTransactionWithReferencedKeys(
      wire,
      JSON.stringify(vector.previous_outputs),
      vector.owner_address,
      JSON.stringify(vector.registered_keys),
      manifestJson,
    );
    assert.deepEqual(JSON.parse(verified), vector.verification, vector.name);

    const from = new Taker(wire);
    assert.equal(from.u8(), 1);
    const { id, operation, request } = readBody(from, wire);
    const registered = vector.registered_keys.map((key) => hex(key.public_key_hex));
    let signatures = 0;
    for (const [i, { address, amount }] of vector.previous_outputs.entries()) {
      const spent = addressBytes(address);
      if ((request['inputs'] as svc.InputRequest[])[i]?.repeated === true) {
        assert.equal(from.u8(), 4);
        assert.ok(i > 0 && address === vector.previous_outputs[i - 1]?.address);
        continue;
      }
      const message = labelled('SVC_SPEND_V1', id, Uint8Array.of(i), spent, u64(BigInt(amount)));
      assert.equal(message.toString('hex'), vector.spend_messages[i]);
      signatures += checkWitness(from, spent, message, 'svc/spend/v1', registered);
    }
    if (operation !== undefined) {
      const owner = addressBytes(operation.data['owner_address'] ?? vector.owner_address ?? '');
      const message = labelled('SVC_OPERATION_V1', id);
      assert.equal(message.toString('hex'), vector.operation_message);
      signatures += checkWitness(from, owner, message, 'svc/operation/v1', registered);
      const key = operation.data['consensus_public_key_hex'];
      if (key !== undefined) {
        const held = labelled('SVC_POSSESSION_V1', id, labelled('SVC_KEY_V1', hex(key)));
        assert.equal(held.toString('hex'), vector.possession_message);
        const context = Buffer.from('svc/possession/v1', 'ascii');
        assert.ok(ml_dsa65.verify(from.take(3309), held, hex(key), { context }));
        signatures++;
      }
    }
    from.end();
    const sum = (list: readonly Output[]) =>
      list.reduce((all, { amount }) => all + BigInt(amount), 0n);
    const locked =
      operation?.type === 'validator_register' || operation?.type === 'bond'
        ? BigInt(operation.data['amount'] ?? 0)
        : 0n;
    const fee = sum(vector.previous_outputs) - sum(request['outputs'] as Output[]) - locked;
    assert.equal(vector.verification.fee, String(fee));
    assert.ok([undefined, String(fee)].includes(request['fee'] as string | undefined));
    assert.equal(vector.verification.signatures, String(signatures));
    assert.equal(vector.verification.transaction_id, id.toString('hex'));
  }
});

test('bodies that break a rule are refused with the code of the vector', () => {
  for (const { name, body_hex, code } of vectors.refused) {
    assert.throws(() => svc.transactionId(hex(body_hex), manifestJson), { code }, name);
  }
});
