/**
 * What must be refused of section 4: bodies, wires, and whole transactions that do not hold.
 */
import { concatBytes, toHex } from '../../src/base/bytes.ts';
import { CONTEXTS } from '../../src/base/labels.ts';
import { Writer } from '../../src/base/writer.ts';
import { assembleTransaction } from '../../src/transaction/assemble.ts';
import { decodeBody } from '../../src/transaction/decode.ts';
import { inspectTransaction } from '../../src/transaction/inspect-transaction.ts';
import { spendMessage } from '../../src/transaction/messages.ts';
import type { OutputRequest } from '../../src/transaction/request.ts';
import { verifyTransaction } from '../../src/transaction/verify.ts';
import { encodeWitness } from '../../src/transaction/witness.ts';
import { seededBytes } from '../seeded-bytes.ts';
import {
  COIN,
  manifestWith,
  operationRequest,
  person,
  rawBody,
  rawFee,
  rawInputs,
  rawOutputs,
  repeatedInputs,
  signAll,
  signWith,
} from '../transaction-fixture.ts';
import { codeOf, otherLengths, refusedBytes, withBytes } from './refused.ts';

const MAX_SUPPLY = 20_000_000_000_000_000n;
const BURN = Uint8Array.of(2, ...new Uint8Array(48));

function operation(tag: number): Writer {
  return new Writer().u8(tag);
}

function refusedOperations(): Record<string, Uint8Array> {
  const id = seededBytes('subject', 48);
  const [owner, reward] = [person(0).addressBytes, person(2).addressBytes];
  const key = person(9).publicKey;
  const raw = (writer: Writer) => rawBody(manifestWith(), { operation: writer.finish() });
  return {
    'an operation of tag 11': raw(operation(11)),
    'a bond of nothing': raw(operation(1).raw(id).raw(owner).raw(reward).u64(0n)),
    'a bond above the maximum supply': raw(
      operation(1).raw(id).raw(owner).raw(reward).u64(MAX_SUPPLY),
    ),
    'a bond owned by the burn address': raw(operation(1).raw(id).raw(BURN).raw(reward).u64(1n)),
    'a commission of 1,010': raw(operation(9).raw(id).u16(1010)),
    'a commission of 5': raw(operation(9).raw(id).u16(5)),
    'an empty endpoint': raw(operation(8).raw(id).raw(key).counted(new Uint8Array(0))),
    'an endpoint of 1,025 bytes': raw(operation(8).raw(id).raw(key).counted(new Uint8Array(1025))),
  };
}

function refusedBodies(): object[] {
  const manifest = manifestWith();
  const good = rawBody(manifest);
  const change = (parts: Parameters<typeof rawBody>[1]) => rawBody(manifest, parts);
  const addressed = (address: Uint8Array) =>
    change({ outputs: new Writer().varint(1).raw(address).u64(1n).finish() });
  return refusedBytes('body_hex', (bytes) => decodeBody(bytes, manifest), {
    ...otherLengths(good),
    nothing: new Uint8Array(0),
    'format 0': change({ format: 0 }),
    'format 3': change({ format: 3 }),
    'a fee in a body of format 1': change({ ...rawFee(1n), format: 1 }),
    'no fee in a body of format 2': change({ format: 2 }),
    'a body of format 2 without repeated inputs': change({ format: 2, fee: new Uint8Array(8) }),
    'a first input that is repeated': change(rawFee(1n, 1)),
    'a repeated input behind the last': change({ ...rawFee(1n, 4), inputs: rawInputs(0, 1) }),
    'a declared fee above the maximum supply': change(rawFee(MAX_SUPPLY + 1n)),
    'outputs and declared fee above the maximum supply': change(rawFee(MAX_SUPPLY - 499_999_999n)),
    'another chain': change({ chainId: seededBytes('other chain', 48) }),
    'another protocol version': change({ protocolVersion: 2 }),
    'other rules': change({ rulesId: seededBytes('other rules', 48) }),
    'a window that ends before it starts': change({ validUntil: 999n }),
    'a window one cut too long': change({ validUntil: 1121n }),
    'no inputs': change({ inputs: rawInputs() }),
    'nine inputs': change({ inputs: rawInputs(0, 1, 2, 3, 4, 5, 6, 7, 8) }),
    'one input twice': change({ inputs: rawInputs(3, 3) }),
    'neither output nor operation': change({ outputs: rawOutputs() }),
    'seventeen outputs': change({ outputs: rawOutputs(...new Array<bigint>(17).fill(1n)) }),
    'an amount of zero': change({ outputs: rawOutputs(0n) }),
    'an amount above the maximum supply': change({ outputs: rawOutputs(MAX_SUPPLY + 1n) }),
    'outputs above the maximum supply together': change({ outputs: rawOutputs(MAX_SUPPLY, 1n) }),
    'an address of type 3': addressed(Uint8Array.of(3, ...new Uint8Array(48))),
    'a burn address of another value': addressed(withBytes(BURN, 48, 1)),
    'a padded varint': change({ payload: Uint8Array.of(0x80, 0) }),
    'a payload of 8,193 bytes': change({
      payload: new Writer().counted(new Uint8Array(8193)).finish(),
    }),
    'a payload cut off': change({ payload: Uint8Array.of(2, 0) }),
    ...refusedOperations(),
  });
}

/** Byte strings with a multisig witness are short because they end where the fault is. */
function refusedWires(): object[] {
  const manifest = manifestWith();
  const { wire, body } = signAll({}, manifest);
  const repeated = signAll({ fee: '19500000000', inputs: repeatedInputs(2) }, manifest);
  const head = concatBytes(Uint8Array.of(1), body);
  const witnessed = (...values: number[]) => concatBytes(head, Uint8Array.of(...values));
  const hashes = [1, 2, 3].map((value) => new Uint8Array(48).fill(value));
  const policy = (threshold: number, members: readonly Uint8Array[], signers: number) =>
    concatBytes(
      witnessed(3, threshold, members.length),
      ...members,
      Uint8Array.of(signers),
      new Uint8Array(2 * 3309),
    );
  const [a, b, c] = hashes as [Uint8Array, Uint8Array, Uint8Array];
  return refusedBytes('wire_hex', (bytes) => inspectTransaction(bytes, manifest.json), {
    'one byte short': wire.slice(0, -1),
    'one byte long': concatBytes(wire, Uint8Array.of(0)),
    'format 2': withBytes(wire, 0, 2),
    'no witness': head,
    'a witness of profile 5': witnessed(5),
    'a repeated witness that the body does not name': witnessed(4),
    'a witness of its own for a repeated input': concatBytes(
      Uint8Array.of(1),
      repeated.body,
      ...[0, 0].map(() => repeated.witnesses[0] as Uint8Array),
    ),
    'a policy of 1 of 3': policy(1, hashes, 1),
    'a policy of 2 of 4': policy(2, [...hashes, new Uint8Array(48).fill(4)], 3),
    'key hashes that fall': policy(2, [b, a, c], 3),
    'a key hash twice': policy(2, [a, a, c], 3),
    'one signer of two': policy(2, hashes, 1),
    'three signers of two': policy(2, hashes, 7),
    'a signer who is no member': policy(2, hashes, 9),
  });
}

interface Unproven {
  readonly name: string;
  readonly wire: Uint8Array;
  readonly previousOutputs: readonly OutputRequest[];
  readonly owner?: string;
}

function unproven(): Unproven[] {
  const manifest = manifestWith();
  const { wire, body, previousOutputs } = signAll({}, manifest);
  const [previous] = previousOutputs as [OutputRequest];
  const spent = (change: Partial<OutputRequest>) => [{ ...previous, ...change }];
  const message = spendMessage(body, 0, JSON.stringify(previous), manifest.json);
  const signedAs = (signer: number, key: number, context: 'spend' | 'operation') => {
    const signature = signWith(person(signer), message, CONTEXTS[context]);
    const witness = encodeWitness(person(key).publicKey, signature);
    return assembleTransaction(body, [witness], manifest.json);
  };
  const unbond = signAll({ operation: operationRequest('unbond') }, manifest);
  const bond = signAll({ operation: operationRequest('bond') }, manifest);
  const declared = signAll({ fee: '9500000000' }, manifest);
  const repeated = signAll({ fee: '19500000000', inputs: repeatedInputs(2) }, manifest);
  const burn =
    'dsvc1zqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq0cxn26';
  return [
    {
      name: 'one bit of the signature',
      wire: withBytes(wire, wire.length - 100, (wire.at(-100) ?? 0) ^ 1),
      previousOutputs,
    },
    { name: 'another amount', wire, previousOutputs: spent({ amount: String(100n * COIN + 1n) }) },
    {
      name: 'a signature under the context of operations',
      wire: signedAs(0, 0, 'operation'),
      previousOutputs,
    },
    { name: 'the key of another address', wire: signedAs(1, 1, 'spend'), previousOutputs },
    { name: 'no previous output', wire, previousOutputs: [] },
    { name: 'an output at the burn address', wire, previousOutputs: spent({ address: burn }) },
    { name: 'less than what is moved', wire, previousOutputs: spent({ amount: '499999999' }) },
    { name: 'a fee one atom too low', wire, previousOutputs: spent({ amount: '500089929' }) },
    {
      name: 'a fee one atom above the declared one',
      wire: declared.wire,
      previousOutputs: spent({ amount: '10000000001' }),
    },
    {
      name: 'a fee one atom below the declared one',
      wire: declared.wire,
      previousOutputs: spent({ amount: '9999999999' }),
    },
    {
      name: 'a repeated input of another address',
      wire: repeated.wire,
      previousOutputs: [previous, { ...previous, address: person(1).address }],
    },
    {
      name: 'a repeated input worth one atom more',
      wire: repeated.wire,
      previousOutputs: [previous, ...spent({ amount: String(100n * COIN + 1n) })],
    },
    {
      name: 'a repeated input worth one atom more, its signed one worth one less',
      wire: repeated.wire,
      previousOutputs: [
        ...spent({ amount: String(100n * COIN - 1n) }),
        ...spent({ amount: String(100n * COIN + 1n) }),
      ],
    },
    { name: 'an owner without an operation', wire, previousOutputs, owner: person(0).address },
    { name: 'no owner', wire: unbond.wire, previousOutputs: unbond.previousOutputs },
    {
      name: 'another owner than who signed',
      wire: unbond.wire,
      previousOutputs: unbond.previousOutputs,
      owner: person(1).address,
    },
    {
      name: 'another owner than the operation names',
      wire: bond.wire,
      previousOutputs: bond.previousOutputs,
      owner: person(1).address,
    },
  ];
}

function refusedTransactions(): object[] {
  const { json } = manifestWith();
  return unproven().map(({ name, wire, previousOutputs, owner = null }) => ({
    name,
    wire_hex: toHex(wire),
    previous_outputs: previousOutputs,
    owner_address: owner,
    code: codeOf(name, () => verifyTransaction(wire, JSON.stringify(previousOutputs), owner, json)),
  }));
}

export function refusedTransactionVectors(): object {
  return {
    note: 'What must be refused of section 4 of docs/protocol.md: bodies and wires by their form, and transactions by what they spend and who signed them.',
    manifest: JSON.parse(manifestWith().json) as object,
    bodies: refusedBodies(),
    wires: refusedWires(),
    transactions: refusedTransactions(),
  };
}
