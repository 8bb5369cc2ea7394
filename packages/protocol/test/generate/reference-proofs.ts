/**
 * State proofs decoded and folded as the document says, in plain code that shares nothing with the
 * kernel but SHA-384. Tests compare the kernel's verdict with this one.
 */
import { compareBytes, concatBytes, equalBytes } from '../../src/base/bytes.ts';
import { LABELS } from '../../src/base/labels.ts';
import { Reader } from '../../src/base/reader.ts';
import { SvcError } from '../../src/base/svc-error.ts';
import { Writer } from '../../src/base/writer.ts';
import { hashLabel } from '../../src/kernel/hash-label.ts';
import type { CompletenessProof } from '../../src/state/completeness-proof.ts';
import type { OutputProof } from '../../src/state/output-proof.ts';
import type { Output } from '../../src/state/output-value.ts';
import { encodeOutputValue } from '../../src/state/output-value.ts';
import type { PathStep } from '../../src/state/path.ts';
import type { OtherRoots } from '../../src/state/state-root.ts';
import { stateRoot } from '../../src/state/state-root.ts';
import { decodeSubtree, encodeSubtree } from '../../src/state/subtree.ts';
import { outputKey, ReferenceTree } from '../../src/testing/reference-tree.ts';

const SUPPLY_MAX = 20_000_000_000_000_000n;
const COUNT_MAX = 2n ** 53n - 1n;

class Refused extends Error {}

function must(holds: boolean): asserts holds {
  if (!holds) throw new Refused();
}

/** A proof and the state root it leads to; undefined where the document refuses the proof. */
export interface Folded<Proof> {
  readonly proof: Proof;
  readonly root: Uint8Array;
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refused || error instanceof SvcError) return undefined;
    throw error;
  }
}

export function foldOutputProof(bytes: Uint8Array): Folded<OutputProof> | undefined {
  return orUndefined(() => {
    const reader = new Reader(bytes);
    must(reader.u8() === 1);
    const output = readOutput(reader);
    const path = readPath(reader, 512);
    const roots = readRoots(reader);
    const root = fold(outputKey(output), outputKey(output), path, leafOf(output));
    return { proof: { output, path, roots }, root: stateRoot({ outputs: root, ...roots }) };
  });
}

export function foldCompletenessProof(bytes: Uint8Array): Folded<CompletenessProof> | undefined {
  return orUndefined(() => {
    const reader = new Reader(bytes);
    must(reader.u8() === 1);
    const address = reader.raw(49);
    mustBeAddress(address);
    const count = reader.varint();
    must(count <= 4096);
    const outputs = Array.from({ length: count }, () => readEntry(reader, address));
    const neighbour = count === 0 ? readNeighbour(reader) : undefined;
    const path = readPath(reader, count === 0 ? 512 : 256);
    const roots = readRoots(reader);
    const proof = { address, outputs, neighbour, path, roots };
    return { proof, root: stateRoot({ outputs: foldComplete(proof), ...roots }) };
  });
}

function foldComplete({ address, outputs, neighbour, path, roots }: CompletenessProof): Uint8Array {
  const [first] = outputs;
  const sought = outputKey({
    transactionId: new Uint8Array(48),
    outputIndex: 0,
    address,
    amount: 1n,
  });
  if (first !== undefined) {
    const keys = outputs.map(outputKey);
    must(keys.every((key, i) => i === 0 || compareBytes(keys[i - 1] as Uint8Array, key) < 0));
    const sum = outputs.reduce((total, output) => total + output.amount, 0n);
    must(sum <= SUPPLY_MAX);
    return fold(sought, sought, path, new ReferenceTree(outputs, roots).subtree);
  }
  if (neighbour === undefined) {
    must(path.length === 0);
    return new Uint8Array(64);
  }
  const key = outputKey(neighbour);
  must(!equalBytes(key.subarray(0, 32), sought.subarray(0, 32)));
  return fold(key, sought, path, leafOf(neighbour));
}

function mustBeAddress(address: Uint8Array): void {
  const type = address[0] as number;
  must(type <= 1 || (type === 2 && address.subarray(1).every((byte) => byte === 0)));
}

function readOutput(reader: Reader): Output {
  const transactionId = reader.raw(48);
  const outputIndex = reader.u32();
  const address = reader.raw(49);
  const amount = reader.u64();
  mustBeAddress(address);
  must(amount > 0n && amount <= SUPPLY_MAX);
  return { transactionId, outputIndex, address, amount };
}

function readEntry(reader: Reader, address: Uint8Array): Output {
  const transactionId = reader.raw(48);
  const outputIndex = reader.u32();
  const amount = reader.u64();
  must(amount > 0n && amount <= SUPPLY_MAX);
  return { transactionId, outputIndex, address, amount };
}

function readNeighbour(reader: Reader): Output | undefined {
  const found = reader.u8();
  must(found <= 1);
  return found === 0 ? undefined : readOutput(reader);
}

function readPath(reader: Reader, bitEnd: number): PathStep[] {
  const count = reader.varint();
  must(count <= 512);
  let above = bitEnd;
  return Array.from({ length: count }, () => {
    const bit = reader.u16();
    must(bit < above);
    above = bit;
    return { bit, sibling: reader.raw(64) };
  });
}

function readRoots(reader: Reader): OtherRoots {
  const positions = reader.raw(64);
  const validators = reader.raw(64);
  const keys = reader.raw(64);
  const totalsRoot = reader.raw(48);
  reader.end();
  return { positions, validators, keys, totalsRoot };
}

function leafOf(output: Output): Uint8Array {
  const value = encodeOutputValue(output);
  const hash = hashLabel(LABELS.leaf, Uint8Array.of(1), outputKey(output), value);
  return encodeSubtree({ hash, sum: output.amount, count: 1n });
}

function bitOf(key: Uint8Array, bit: number): number {
  return ((key[bit >> 3] as number) >> (7 - (bit & 7))) & 1;
}

function fold(
  key: Uint8Array,
  sought: Uint8Array,
  path: readonly PathStep[],
  leaf: Uint8Array,
): Uint8Array {
  return path.reduce((subtree, { bit, sibling }) => {
    must(bit >= 256 || bitOf(key, bit) === bitOf(sought, bit));
    const own = decodeSubtree(subtree);
    const other = decodeSubtree(sibling);
    const sum = own.sum + other.sum;
    const count = own.count + other.count;
    must(other.count > 0n && sum <= SUPPLY_MAX && count <= COUNT_MAX);
    const pair = bitOf(key, bit) === 0 ? [subtree, sibling] : [sibling, subtree];
    const hash = hashLabel(LABELS.node, new Writer(2).u16(bit).finish(), concatBytes(...pair));
    return encodeSubtree({ hash, sum, count });
  }, leaf);
}
