/**
 * The leaves of the lists that a cut's header commits to, `docs/protocol.md` 9.6: what became of each transaction, and
 * each output that came or went. Ids and addresses are given as the hexadecimal of their bytes.
 */
import { toHex } from '../base/bytes.ts';
import type { Reader } from '../base/reader.ts';
import { ADDRESS_BYTES, ID_BYTES } from '../base/sizes.ts';
import { SvcError } from '../base/svc-error.ts';
import { writeHex } from '../base/write-hex.ts';

/** In the order of their codes, from 1. */
export const OUTCOME_KINDS = [
  'finalized',
  'skipped',
  'expired',
  'not_yet_valid',
  'conflict',
  'unknown_input',
  'invalid',
  'no_effect',
] as const;
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

/** In the order of their codes, from 1. */
export const CHANGE_KINDS = ['received', 'spent'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** In the order of their codes, from 1. */
export const OUTPUT_SOURCES = [
  'regular',
  'work_reward',
  'stake_reward',
  'stake_return',
  'genesis',
] as const;
export type OutputSource = (typeof OUTPUT_SOURCES)[number];

export interface OutcomeLeaf {
  readonly transactionId: string;
  readonly kind: OutcomeKind;
  readonly fee: bigint;
  /** Hash of the payload; empty if there is none, or if the transaction was not executed. */
  readonly noteHash: string;
  /** The addresses that signed for its inputs, ascending and distinct; none if it was not executed. */
  readonly payers: readonly string[];
}

export interface ChangeLeaf {
  readonly address: string;
  /** The position in the cut's list, in the order of execution. */
  readonly index: number;
  readonly kind: ChangeKind;
  readonly source: OutputSource;
  readonly amount: bigint;
  /** The output: transaction id and index of four bytes, big-endian. */
  readonly outpoint: string;
  /** The transaction that spent or made it; a payout's own id where the protocol made it. */
  readonly transactionId: string;
}

/** A transaction has at most this many inputs, each with an address. */
const PAYERS_MAX = 8;
const NO_NOTE = '00'.repeat(ID_BYTES);
const OUTPOINT_BYTES = ID_BYTES + 4;
const OUTCOME_BYTES = 2 * ID_BYTES + 10;
export const CHANGE_BYTES: number = ADDRESS_BYTES + 2 * ID_BYTES + 18;

/** The leaves of outcomes, in their order. Thousands are made for a full cut, so they share one piece of memory. */
export function encodeOutcomeLeaves(leaves: readonly OutcomeLeaf[]): Uint8Array[] {
  const count = leaves.reduce((sum, { payers }) => sum + payers.length, 0);
  const memory = new Uint8Array(leaves.length * OUTCOME_BYTES + count * ADDRESS_BYTES);
  const view = new DataView(memory.buffer);
  let at = 0;
  return leaves.map(({ transactionId, kind, fee, noteHash, payers }) => {
    const from = at;
    const after = from + ID_BYTES;
    writeText(transactionId, ID_BYTES, memory, from);
    memory[after] = OUTCOME_KINDS.indexOf(kind) + 1;
    if (BigInt.asUintN(64, fee) !== fee) throw new RangeError('a fee has 64 bits');
    view.setBigUint64(after + 1, fee, true);
    if (noteHash !== '') writeText(noteHash, ID_BYTES, memory, after + 9);
    memory[from + OUTCOME_BYTES - 1] = payers.length;
    at = from + OUTCOME_BYTES;
    for (const payer of payers) {
      writeText(payer, ADDRESS_BYTES, memory, at);
      at += ADDRESS_BYTES;
    }
    return memory.subarray(from, at);
  });
}

/** Others than the ledger encode what a node has told them, to compare its hash. */
function writeText(hex: string, bytes: number, memory: Uint8Array, at: number): void {
  if (hex.length !== 2 * bytes) throw new RangeError(`expected ${bytes} bytes`);
  writeHex(hex, memory, at);
}

/** The leaves of changes, in their order. Thousands are made for a full cut, so they share one piece of memory. */
export function encodeChangeLeaves(leaves: readonly ChangeLeaf[]): Uint8Array[] {
  const memory = new Uint8Array(leaves.length * CHANGE_BYTES);
  const view = new DataView(memory.buffer);
  return leaves.map((leaf, position) => {
    const at = position * CHANGE_BYTES;
    const after = at + ADDRESS_BYTES;
    writeHex(leaf.address, memory, at);
    view.setUint32(after, leaf.index, true);
    memory[after + 4] = CHANGE_KINDS.indexOf(leaf.kind) + 1;
    memory[after + 5] = OUTPUT_SOURCES.indexOf(leaf.source) + 1;
    view.setBigUint64(after + 6, leaf.amount, true);
    writeHex(leaf.outpoint, memory, after + 14);
    writeHex(leaf.transactionId, memory, at + CHANGE_BYTES - ID_BYTES);
    return memory.subarray(at, at + CHANGE_BYTES);
  });
}

export function readOutcomeLeaf(reader: Reader): OutcomeLeaf {
  const transactionId = toHex(reader.raw(ID_BYTES));
  const kind = named(OUTCOME_KINDS, reader.u8());
  const fee = reader.u64();
  const noteHash = toHex(reader.raw(ID_BYTES));
  const length = reader.varint();
  if (length > PAYERS_MAX) throw malformed(`${length} payers`);
  const payers = Array.from({ length }, () => toHex(reader.raw(ADDRESS_BYTES)));
  return { transactionId, kind, fee, noteHash: noteHash === NO_NOTE ? '' : noteHash, payers };
}

export function readChangeLeaf(reader: Reader): ChangeLeaf {
  return {
    address: toHex(reader.raw(ADDRESS_BYTES)),
    index: reader.u32(),
    kind: named(CHANGE_KINDS, reader.u8()),
    source: named(OUTPUT_SOURCES, reader.u8()),
    amount: reader.u64(),
    outpoint: toHex(reader.raw(OUTPOINT_BYTES)),
    transactionId: toHex(reader.raw(ID_BYTES)),
  };
}

/** The name that a code from 1 stands for. */
function named<Name extends string>(names: readonly Name[], code: number): Name {
  const name = names[code - 1];
  if (name === undefined) throw malformed(`code ${code}`);
  return name;
}

function malformed(found: string): SvcError {
  return new SvcError('bad_proof', `a leaf has ${found}`, { path: 'proof' });
}
