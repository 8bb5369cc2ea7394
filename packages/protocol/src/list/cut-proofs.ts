/**
 * Proofs of what a cut did: all that it changed for an address, also that it changed nothing, and what became of a
 * transaction; `docs/protocol.md` 9.6. They are checked against the roots of a cut that was certified here.
 */
import { expectList } from '../base/byte-list.ts';
import { equalBytes, expectBytes, fromHex, toHex } from '../base/bytes.ts';
import { expectNetwork, type Network } from '../base/networks.ts';
import { Reader } from '../base/reader.ts';
import { ADDRESS_BYTES, ID_BYTES } from '../base/sizes.ts';
import { SvcError } from '../base/svc-error.ts';
import { Writer } from '../base/writer.ts';
import { CertifiedCut } from '../cut/certified-cut.ts';
import { decodeNetworkAddress, encodeAddress } from '../text/address.ts';
import {
  CHANGE_BYTES,
  type ChangeKind,
  type ChangeLeaf,
  encodeChangeLeaves,
  encodeOutcomeLeaves,
  type OutcomeKind,
  type OutcomeLeaf,
  type OutputSource,
  readChangeLeaf,
  readOutcomeLeaf,
} from './cut-leaves.ts';
import { checkLeaves, encodeListProof, type ListProof, readListProof } from './list-proof.ts';
import { hashListLeaves, type ListLeaf, rootOfList } from './list-tree.ts';

const PATH = 'proof';

/** Leaves of a list with their positions in it. */
export interface LeavesProof<Leaf> {
  readonly list: ListProof;
  readonly leaves: readonly Leaf[];
}

/** One output of an address that a cut made or spent. */
export interface ProvenChange {
  /** The position among all changes of the cut, in the order of execution. */
  readonly index: number;
  readonly kind: ChangeKind;
  readonly source: OutputSource;
  readonly amount: bigint;
  readonly output: { readonly transactionId: string; readonly outputIndex: number };
  /** The transaction that made or spent it; the output's own id where the protocol made it. */
  readonly transactionId: string;
}

/** What became of a transaction. */
export interface ProvenOutcome {
  readonly transactionId: string;
  /** The position among the transactions of the cut. */
  readonly index: number;
  readonly outcome: OutcomeKind;
  readonly fee: bigint;
  /** Hash of the payload, in hexadecimal; empty without a payload or if it was not executed. */
  readonly noteHash: string;
  /** The addresses that signed for the inputs, each once. */
  readonly payers: readonly string[];
}

/** `list proof (8.8) | leaves`, as their lists hash them. */
export function encodeLeavesProof(list: ListProof, leaves: readonly Uint8Array[]): Uint8Array {
  const writer = new Writer().raw(encodeListProof(list));
  for (const leaf of leaves) writer.raw(leaf);
  return writer.finish();
}

export function decodeChangesProof(bytes: Uint8Array): LeavesProof<ChangeLeaf> {
  return decode(bytes, readChangeLeaf);
}

/** Ids of earlier cuts in the list that a header commits to (8.8), as nodes send them to each other. */
export function decodeIdsProof(bytes: Uint8Array): LeavesProof<Uint8Array> {
  return decode(bytes, (reader) => reader.raw(ID_BYTES));
}

export function decodeOutcomesProof(bytes: Uint8Array): LeavesProof<OutcomeLeaf> {
  return decode(bytes, readOutcomeLeaf);
}

/**
 * All changes that a certified cut made to the outputs of each address, in their order; an empty list is proven as well.
 * Throws unless the proof shows the leaves on both sides of each address too.
 */
export function checkCutChanges(
  proof: Uint8Array,
  cut: CertifiedCut,
  addresses: readonly string[],
): ReadonlyMap<string, readonly ProvenChange[]> {
  const root = CertifiedCut.rootsOf(cut).changes;
  const { list, leaves } = decodeChangesProof(proof);
  expectLeaves(list, encodeChangeLeaves(leaves), 'change', root);
  return new Map(
    expectList(addresses, 'addresses').map((address, at) => {
      const { bytes } = decodeNetworkAddress(address, `addresses[${at}]`);
      return [address as string, changesOf(toHex(bytes), list, leaves).map(provenChange)];
    }),
  );
}

/** A change with the text of the address that it is about. */
export interface AddressedChange extends ProvenChange {
  readonly address: string;
}

/**
 * The wanted changes of a certified cut in their order, from the bytes of all its leaves in the order of the list. Throws
 * unless these are all leaves of the cut and nothing else. `isWanted` gets the bytes of each address.
 */
export function selectCutChanges(
  leaves: Uint8Array,
  cut: CertifiedCut,
  network: Network,
  isWanted: (address: Uint8Array) => boolean,
): readonly AddressedChange[] {
  const root = CertifiedCut.rootsOf(cut).changes;
  const bytes = expectBytes(leaves, 'leaves');
  const records = Array.from({ length: Math.ceil(bytes.length / CHANGE_BYTES) }, (_, at) =>
    bytes.subarray(at * CHANGE_BYTES, (at + 1) * CHANGE_BYTES),
  );
  if (!equalBytes(rootOfList('change', records), root))
    throw new SvcError('wrong_list_root', 'the leaves lead to another root', { path: 'leaves' });
  return records
    .filter((record) => isWanted(record.subarray(0, ADDRESS_BYTES)))
    .map((record) => ({
      address: encodeAddress(record.subarray(0, ADDRESS_BYTES), network),
      ...provenChange(readChangeLeaf(new Reader(record, 'leaves'))),
    }))
    .sort((a, b) => a.index - b.index);
}

/** What became of transactions in a certified cut, in the order in which it executed them. */
export function checkCutOutcomes(
  proof: Uint8Array,
  cut: CertifiedCut,
  network: string,
): readonly ProvenOutcome[] {
  const root = CertifiedCut.rootsOf(cut).outcomes;
  const addressNetwork = expectNetwork(network, 'network');
  const { list, leaves } = decodeOutcomesProof(proof);
  expectLeaves(list, encodeOutcomeLeaves(leaves), 'outcome', root);
  return leaves.map(({ transactionId, kind, fee, noteHash, payers }, at) => ({
    transactionId,
    index: list.indexes[at] as number,
    outcome: kind,
    fee,
    noteHash,
    payers: payers.map((payer) => encodeAddress(fromHex(payer), addressNetwork)),
  }));
}

function provenChange({ outpoint, ...change }: ChangeLeaf): ProvenChange {
  const { index, kind, source, amount, transactionId } = change;
  const output = {
    transactionId: outpoint.slice(0, 2 * ID_BYTES),
    outputIndex: Number.parseInt(outpoint.slice(2 * ID_BYTES), 16),
  };
  return { index, kind, source, amount, output, transactionId };
}

/** The leaves of one address. Leaves ascend by address, so its neighbours show that there are no others. */
function changesOf(
  address: string,
  { count, indexes }: ListProof,
  leaves: readonly ChangeLeaf[],
): readonly ChangeLeaf[] {
  const first = firstWhere(leaves, (leaf) => leaf.address >= address);
  const end = firstWhere(leaves, (leaf) => leaf.address > address);
  const before = first === 0 ? -1 : (indexes[first - 1] as number);
  const after = end === leaves.length ? count : (indexes[end] as number);
  if (after - before - 1 !== end - first)
    throw new SvcError('bad_proof', 'leaves beside those of an address are missing', {
      path: PATH,
    });
  return leaves.slice(first, end);
}

/** Of leaves that ascend by address, the first with a property that all after it have too. */
function firstWhere(leaves: readonly ChangeLeaf[], holds: (leaf: ChangeLeaf) => boolean): number {
  let [from, to] = [0, leaves.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(leaves[middle] as ChangeLeaf)) to = middle;
    else from = middle + 1;
  }
  return from;
}

function expectLeaves(
  list: ListProof,
  records: readonly Uint8Array[],
  kind: ListLeaf,
  root: Uint8Array,
): void {
  const digests = hashListLeaves(kind, records);
  const leaves = records.map((_, at) => digests.subarray(at * ID_BYTES, (at + 1) * ID_BYTES));
  checkLeaves(list, leaves, root, PATH);
}

function decode<Leaf>(bytes: Uint8Array, readLeaf: (reader: Reader) => Leaf): LeavesProof<Leaf> {
  const reader = new Reader(expectBytes(bytes, PATH), PATH);
  const list = readListProof(reader, PATH);
  const leaves = list.indexes.map(() => readLeaf(reader));
  reader.end();
  return { list, leaves };
}
