/**
 * The transactions of a block are decoded with it: what is found and refused there is what decoding each of them alone
 * finds and refuses.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import {
  BLOCK_TRANSACTIONS,
  BODY_BYTES_MAX,
  ENTRIES_MAX,
  ENTRY_BYTES,
  ENTRY_WIRE,
} from '../../assembly/block/layout.ts';
import { SIGNATURE_BYTES, TABLE_BYTES } from '../../assembly/transaction/layout.ts';
import { expectRefused } from '../../test/testing/expect-refused.ts';
import { manifestWith } from '../../test/transaction-fixture.ts';
import { blockOf, smallestWire, variousWires } from '../../test/various-wires.ts';
import { toHex } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';
import { init } from '../entry/node.ts';
import { kernel } from '../kernel/current.ts';
import { decodeTransaction } from '../transaction/decode.ts';
import { decodeOperation } from '../transaction/operations.ts';
import type { TransactionTable } from '../transaction/table.ts';
import { decodeBlockBody } from './block-body.ts';

await init();

const MANIFEST = manifestWith();
/** The first one, so that no other begins where the body does; no other spends its input. */
const FIRST = smallestWire(MANIFEST, 99);
const VARIOUS = variousWires(MANIFEST);

/** All that a table says: its words, and everything that is read through it. */
function contents(table: TransactionTable) {
  const words = Array.from({ length: TABLE_BYTES / 4 }, (_, word) => table.u32(4 * word));
  const { inputs, outputs, inputNames, outputNames, witnesses, witnessBounds } = table;
  const lists = { inputs, outputs, inputNames, outputNames, witnesses, witnessBounds };
  const { id, body, payload, declaredFee, mass, validFrom, validUntil, bytes } = table;
  const fields = { id, body, payload, declaredFee, mass, validFrom, validUntil, bytes };
  return { words, ...lists, ...fields, operation: decodeOperation(table) };
}

/** What a decoder makes of bytes: a table, or a refusal with its path below that of the transaction. */
function outcome(decode: () => TransactionTable | undefined, path: string): string {
  try {
    const table = decode();
    assert.ok(table !== undefined);
    return `decoded ${toHex(table.id)}`;
  } catch (error) {
    assert.ok(error instanceof SvcError, String(error));
    assert.ok(error.path?.startsWith(path), error.message);
    const { code, message } = error;
    return `${code} ${message.slice(path.length)}`;
  }
}

function expectSameOutcome(wire: Uint8Array): string {
  const inBlock = () => decodeBlockBody(blockOf(FIRST, wire), MANIFEST).transactions[1]?.table;
  const found = outcome(inBlock, 'body.transactions[1]');
  assert.equal(
    found,
    outcome(() => decodeTransaction(wire, MANIFEST), 'wire'),
  );
  return found;
}

test('a transaction of a block has the table that decoding it alone gives', () => {
  for (const wire of VARIOUS) {
    const { transactions } = decodeBlockBody(blockOf(FIRST, wire), MANIFEST);
    // Another call of the kernel changes no earlier result.
    const alone = contents(decodeTransaction(wire, MANIFEST));
    const [first, second] = transactions;
    assert.ok(first !== undefined && second !== undefined);
    // No diff on failure: one of so many bytes would take minutes.
    assert.ok(
      isDeepStrictEqual(contents(second.table), alone),
      `operation ${alone.operation?.type}`,
    );
    assert.ok(
      isDeepStrictEqual(contents(first.table), contents(decodeTransaction(FIRST, MANIFEST))),
    );
    assert.equal(second.table.bytes, second.wire);
    assert.equal(toHex(second.id), toHex(second.table.id));
    assert.notEqual(second.table.id.buffer, kernel().bytes.buffer);
  }
});

test('bytes that were hashed elsewhere are not copied, and their tables are the same', () => {
  const [wire] = VARIOUS as [Uint8Array];
  const body = blockOf(FIRST, wire);
  // A body that is a view of more than itself.
  const within = new Uint8Array(body.length + 7);
  within.set(body, 7);
  const given = within.subarray(7);
  const { bodyRoot } = decodeBlockBody(body, MANIFEST);
  const { transactions } = decodeBlockBody(given, MANIFEST, 'body', bodyRoot);
  const table = transactions[1]?.table;
  assert.ok(table !== undefined);
  assert.equal(table.bytes.buffer, within.buffer);
  assert.ok(isDeepStrictEqual(contents(table), contents(decodeTransaction(wire, MANIFEST))));
});

test('what decoding a transaction refuses is refused in a block, with the same code and place', () => {
  const seen = new Set<string>();
  for (const wire of [VARIOUS[0], VARIOUS[3], VARIOUS.at(-1)] as Uint8Array[]) {
    const changed = [
      ...Array(420).keys(),
      ...Array.from({ length: 12 }, (_, i) => wire.length - 1 - i),
    ];
    for (const at of changed) {
      for (const bits of [1, 0x80, 0xff]) {
        const broken = wire.with(at, (wire[at] as number) ^ bits);
        seen.add(expectSameOutcome(broken).split(' ')[0] as string);
      }
    }
    for (let length = 0; length < wire.length; length += 1 + (length >> 3))
      seen.add(expectSameOutcome(wire.subarray(0, length)).split(' ')[0] as string);
    expectSameOutcome(new Uint8Array([...wire, 0]));
  }
  for (const code of ['decoded', 'truncated', 'wrong_chain', 'wrong_rules', 'unsupported_version'])
    assert.ok(seen.has(code), [...seen].join());
});

test('a block has room for 18 of the smallest transactions, and the kernel for the entry of one more', () => {
  const smallest = Array.from({ length: 18 }, (_, input) => smallestWire(MANIFEST, input));
  const full = blockOf(...smallest);
  const { transactions } = decodeBlockBody(full, MANIFEST);
  assert.deepEqual(
    transactions.map(({ table }) => toHex(table.id)),
    smallest.map((wire) => toHex(decodeTransaction(wire, MANIFEST).id)),
  );
  const tooLong = blockOf(...smallest, smallestWire(MANIFEST, 18));
  expectRefused(() => decodeBlockBody(tooLong, MANIFEST), 'bad_length', 'body');
  const torn = blockOf(...smallest, smallestWire(MANIFEST, 18).subarray(0, 90));
  assert.ok(torn.length <= BODY_BYTES_MAX);
  expectRefused(() => decodeBlockBody(torn, MANIFEST), 'truncated', 'body.transactions[18]');
  const empty = blockOf(...Array.from({ length: 1_024 }, () => new Uint8Array(0)));
  expectRefused(() => decodeBlockBody(empty, MANIFEST), 'truncated', 'body.transactions[0]');
});

test('entries for as many transactions as have a signature in a body, and one more, are within the output', () => {
  assert.equal(ENTRY_WIRE, TABLE_BYTES);
  assert.ok(ENTRY_WIRE + 4 <= ENTRY_BYTES && ENTRY_BYTES % 8 === 0);
  assert.ok(Math.floor(BODY_BYTES_MAX / SIGNATURE_BYTES) + 1 <= ENTRIES_MAX);
  assert.ok(BLOCK_TRANSACTIONS + ENTRIES_MAX * ENTRY_BYTES <= kernel().exports.outBytes());
  for (const wire of VARIOUS) assert.ok(wire.length >= (VARIOUS[0] as Uint8Array).length);
});
