import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { expectRefused } from '../../test/testing/expect-refused.ts';
import { certifiedCutWith } from '../../test/testing/validators.ts';
import { toHex } from '../base/bytes.ts';
import { init } from '../entry/node.ts';
import { encodeAddress } from '../text/address.ts';
import {
  type ChangeLeaf,
  encodeChangeLeaves,
  encodeOutcomeLeaves,
  type OutcomeLeaf,
} from './cut-leaves.ts';
import {
  checkCutChanges,
  checkCutOutcomes,
  encodeLeavesProof,
  selectCutChanges,
} from './cut-proofs.ts';
import { proveLeaves } from './list-proof.ts';
import { hashListLeaves, type ListLeaf, listTree, rootOfList } from './list-tree.ts';

await init();

const NETWORK = 'development';

/** Addresses ascend with their numbers. */
function addressBytes(number: number): Uint8Array {
  const bytes = new Uint8Array(49).fill(7, 2);
  bytes[1] = number;
  return bytes;
}

function address(number: number): string {
  return encodeAddress(addressBytes(number), NETWORK);
}

function changes(numbers: readonly number[]): ChangeLeaf[] {
  return numbers
    .toSorted((a, b) => a - b)
    .map((number, index) => ({
      address: toHex(addressBytes(number)),
      index,
      kind: index % 2 === 0 ? 'received' : 'spent',
      source: 'regular',
      amount: BigInt(index) + 500n,
      outpoint: `${'ab'.repeat(48)}0000000${index % 10}`,
      transactionId: 'cd'.repeat(48),
    }));
}

function listOf(kind: ListLeaf, records: readonly Uint8Array[], indexes: readonly number[]) {
  const digests = hashListLeaves(kind, records);
  return proveLeaves(records.length, indexes, (first, end) =>
    listTree(digests.subarray(first * 48, end * 48)),
  );
}

/** A proof of the leaves at some positions, as any node could make it. */
function changesProof(leaves: readonly ChangeLeaf[], indexes: readonly number[]): Uint8Array {
  const records = encodeChangeLeaves(leaves);
  const list = listOf('change', records, indexes);
  return encodeLeavesProof(
    list,
    indexes.map((at) => records[at] as Uint8Array),
  );
}

function cutWith(leaves: readonly ChangeLeaf[]) {
  return certifiedCutWith({ changesRoot: rootOfList('change', encodeChangeLeaves(leaves)) });
}

test('all changes of an address are proven by its leaves and those beside them, and nothing else is', () => {
  const numbers = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 12 });
  const property = fc.property(
    numbers,
    fc.integer({ min: 0, max: 10 }),
    fc.integer({ min: 0, max: 4_095 }),
    (given, number, shown) => {
      const leaves = changes(given);
      const indexes = leaves.map((_, at) => at).filter((at) => (shown >> at) % 2 === 1);
      if (indexes.length === 0 && leaves.length > 0) return;
      const positions = leaves.flatMap((leaf, at) =>
        leaf.address === toHex(addressBytes(number)) ? [at] : [],
      );
      const first = leaves.findIndex((leaf) => leaf.address >= toHex(addressBytes(number)));
      const place = first < 0 ? leaves.length : first;
      const needed = [place - 1, ...positions, place + positions.length].filter(
        (at) => at >= 0 && at < leaves.length,
      );
      const isComplete = needed.every((at) => indexes.includes(at));
      const check = () =>
        checkCutChanges(changesProof(leaves, indexes), cutWith(leaves), [address(number)]);
      if (!isComplete) return expectRefused(check, 'bad_proof');
      const found = check().get(address(number)) ?? [];
      assert.deepEqual(
        found.map(({ amount }) => amount),
        positions.map((at) => leaves[at]?.amount),
      );
    },
  );
  fc.assert(property, { numRuns: 300 });
});

test('the whole list of a cut gives the changes of an address, and no other list is accepted', () => {
  const leaves = changes([2, 3, 3, 7]);
  const cut = cutWith(leaves);
  const bytesOf = (records: readonly Uint8Array[]) =>
    new Uint8Array(records.flatMap((r) => [...r]));
  const records = encodeChangeLeaves(leaves);
  const isWanted = (bytes: Uint8Array) => toHex(bytes) === toHex(addressBytes(3));
  const select = (list: Uint8Array) => selectCutChanges(list, cut, NETWORK, isWanted);
  const found = select(bytesOf(records));
  assert.deepEqual(
    found.map(({ address: text, amount }) => [text, amount]),
    [1, 2].map((at) => [address(3), leaves[at]?.amount]),
  );
  const altered = bytesOf(records);
  altered[120] = (altered[120] as number) ^ 1;
  const lists = [
    altered,
    bytesOf(records.slice(1)),
    bytesOf(records.toReversed()),
    bytesOf([...records, ...records.slice(3)]),
    bytesOf(records).subarray(0, -1),
    new Uint8Array(0),
  ];
  for (const list of lists) expectRefused(() => select(list), 'wrong_list_root');
});

test('a cut without changes proves that it did nothing for any address', () => {
  const proof = changesProof([], []);
  assert.deepEqual(checkCutChanges(proof, cutWith([]), [address(3)]).get(address(3)), []);
  expectRefused(
    () => checkCutChanges(proof, cutWith(changes([1])), [address(3)]),
    'wrong_list_root',
  );
});

test('a change says which output, what kind and which transaction', () => {
  const leaves = changes([4, 5]);
  const proven = checkCutChanges(changesProof(leaves, [0, 1]), cutWith(leaves), [address(5)]);
  assert.deepEqual(proven.get(address(5)), [
    {
      index: 1,
      kind: 'spent',
      source: 'regular',
      amount: 501n,
      output: { transactionId: 'ab'.repeat(48), outputIndex: 1 },
      transactionId: 'cd'.repeat(48),
    },
  ]);
});

test('no altered byte of a proof is accepted', () => {
  const leaves = changes([2, 2, 3, 4, 4, 6, 9]);
  const cut = cutWith(leaves);
  const proof = changesProof(leaves, [1, 2, 3]);
  checkCutChanges(proof, cut, [address(3)]);
  for (let at = 0; at < proof.length; at++) {
    const altered = proof.map((byte, place) => (place === at ? byte ^ 1 : byte));
    assert.throws(() => checkCutChanges(altered, cut, [address(3)]), { name: 'SvcError' }, `${at}`);
  }
});

const OUTCOMES: readonly OutcomeLeaf[] = Array.from({ length: 5 }, (_, index) => ({
  transactionId: `0${index}`.repeat(48),
  kind: index === 3 ? 'conflict' : 'finalized',
  fee: BigInt(index),
  noteHash: index === 1 ? 'ee'.repeat(48) : '',
  payers: index === 3 ? [] : [toHex(addressBytes(index + 1))],
}));

test('outcomes are proven with their place, fee, note and payers', () => {
  const records = encodeOutcomeLeaves(OUTCOMES);
  const cut = certifiedCutWith({ outcomeRoot: rootOfList('outcome', records) });
  const list = listOf('outcome', records, [1, 3]);
  const proof = encodeLeavesProof(
    list,
    [1, 3].map((at) => records[at] as Uint8Array),
  );
  assert.deepEqual(checkCutOutcomes(proof, cut, NETWORK), [
    {
      transactionId: '01'.repeat(48),
      index: 1,
      outcome: 'finalized',
      fee: 1n,
      noteHash: 'ee'.repeat(48),
      payers: [address(2)],
    },
    {
      transactionId: '03'.repeat(48),
      index: 3,
      outcome: 'conflict',
      fee: 3n,
      noteHash: '',
      payers: [],
    },
  ]);
  for (let at = 0; at < proof.length; at++) {
    const altered = proof.map((byte, place) => (place === at ? byte ^ 1 : byte));
    assert.throws(() => checkCutOutcomes(altered, cut, NETWORK), { name: 'SvcError' }, `${at}`);
  }
});

test('an outcome names eight payers, and no more', () => {
  const check = (count: number) => {
    const payers = Array.from({ length: count }, (_, at) => toHex(addressBytes(at + 1)));
    const records = encodeOutcomeLeaves([{ ...(OUTCOMES[0] as OutcomeLeaf), payers }]);
    const cut = certifiedCutWith({ outcomeRoot: rootOfList('outcome', records) });
    const proof = encodeLeavesProof(listOf('outcome', records, [0]), records);
    return checkCutOutcomes(proof, cut, NETWORK);
  };
  assert.equal(check(8)[0]?.payers.length, 8);
  expectRefused(() => check(9), 'bad_proof');
});

test('no other text than that of a leaf is hashed as it: lengths and amounts are those of their fields', () => {
  const [outcome] = OUTCOMES as [OutcomeLeaf];
  const transactionId = `${outcome.transactionId}00`;
  for (const change of [
    { transactionId },
    { transactionId: transactionId.slice(4) },
    { noteHash: 'ab' },
    { payers: [outcome.transactionId] },
    { fee: outcome.fee + 2n ** 64n },
    { fee: -1n },
  ])
    assert.throws(() => encodeOutcomeLeaves([{ ...outcome, ...change }]), RangeError);
});
