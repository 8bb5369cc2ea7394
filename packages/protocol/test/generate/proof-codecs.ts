/**
 * Proofs about the state. Decoding one means checking it, so each is checked against the root that
 * the plain code finds, and both must agree on whether there is one.
 */
import { toHex } from '../../src/base/bytes.ts';
import { LABELS } from '../../src/base/labels.ts';
import { Reader } from '../../src/base/reader.ts';
import { SvcError } from '../../src/base/svc-error.ts';
import { hashLabel } from '../../src/kernel/hash-label.ts';
import {
  CHANGE_KINDS,
  encodeChangeLeaves,
  encodeOutcomeLeaves,
  OUTCOME_KINDS,
  OUTPUT_SOURCES,
} from '../../src/list/cut-leaves.ts';
import {
  decodeChangesProof,
  decodeIdsProof,
  decodeOutcomesProof,
  encodeLeavesProof,
} from '../../src/list/cut-proofs.ts';
import { encodeListProof, type ListProof, readListProof } from '../../src/list/list-proof.ts';
import {
  checkCompletenessProof,
  encodeCompletenessProof,
} from '../../src/state/completeness-proof.ts';
import { checkOutputProof, encodeOutputProof } from '../../src/state/output-proof.ts';
import { decodeOutputValue, encodeOutputValue, type Output } from '../../src/state/output-value.ts';
import { type OtherRoots, type StateRoots, stateRoot } from '../../src/state/state-root.ts';
import { encodeSubtree } from '../../src/state/subtree.ts';
import {
  checkTotalsProof,
  encodeTotalsProof,
  type TotalsProof,
} from '../../src/state/totals-proof.ts';
import { ReferenceTree } from '../../src/testing/reference-tree.ts';
import type { Codec } from './codec.ts';
import type { Random } from './random.ts';
import type { Folded } from './reference-proofs.ts';
import { foldCompletenessProof, foldOutputProof } from './reference-proofs.ts';
import { anyAddress } from './transaction-codecs.ts';

const NO_ROOT = new Uint8Array(48);

function anyRoots(random: Random): OtherRoots {
  return {
    positions: random.bytes(64),
    validators: random.bytes(64),
    keys: random.bytes(64),
    totalsRoot: random.bytes(48),
  };
}

function anyOutput(random: Random, address: Uint8Array): Output {
  return {
    transactionId: random.bytes(48),
    outputIndex: random.u32(),
    address,
    amount: random.amount(),
  };
}

/** A few addresses, one of them with several outputs. */
function anyOutputs(random: Random, least: number): { own: Uint8Array; outputs: Output[] } {
  const own = anyAddress(random);
  const owned = random.list(least, 3, () => anyOutput(random, own));
  const others = random.list(0, 6, () => anyOutput(random, anyAddress(random)));
  return { own, outputs: [...owned, ...others] };
}

/** Positions and nodes of any list; whether they prove something is not decided by their form. */
function anyListProof(random: Random): ListProof {
  const indexes = [...new Set(random.list(0, 5, () => random.below(1_000)))].sort((a, b) => a - b);
  const last = indexes.at(-1) ?? -1;
  const nodes = random.list(0, 4, () => random.bytes(48));
  return { count: last + 1 + random.below(1_000), indexes, nodes };
}

function anyOutcomeLeaf(random: Random): Uint8Array {
  const leaf = {
    transactionId: toHex(random.bytes(48)),
    kind: random.pick(OUTCOME_KINDS),
    fee: random.amount(),
    noteHash: random.chance(50) ? '' : toHex(random.bytes(48)),
    payers: random.list(0, 8, () => toHex(anyAddress(random))),
  };
  return encodeOutcomeLeaves([leaf])[0] as Uint8Array;
}

function anyChangeLeaf(random: Random): Uint8Array {
  const leaf = {
    address: toHex(anyAddress(random)),
    index: random.u32(),
    kind: random.pick(CHANGE_KINDS),
    source: random.pick(OUTPUT_SOURCES),
    amount: random.amount(),
    outpoint: toHex(random.bytes(52)),
    transactionId: toHex(random.bytes(48)),
  };
  return encodeChangeLeaves([leaf])[0] as Uint8Array;
}

/** Compares the kernel's verdict with the plain one. */
function sameVerdict<Proof>(
  folded: Folded<Proof> | undefined,
  check: (root: Uint8Array) => unknown,
): Folded<Proof> {
  try {
    check(folded?.root ?? NO_ROOT);
  } catch (error) {
    if (folded === undefined || !(error instanceof SvcError)) throw error;
    throw new Error(`the kernel refuses a valid proof: ${error.message}`, { cause: error });
  }
  if (folded === undefined) throw new Error('the kernel accepts a proof that breaks a rule');
  return folded;
}

/** Nothing of the totals is checked but that they lead to the root; those of the ledger have codecs of their own. */
function anyTotalsProof(random: Random): Uint8Array {
  return encodeTotalsProof({
    outputs: random.bytes(64),
    positions: random.bytes(64),
    validators: random.bytes(64),
    keys: random.bytes(64),
    totals: random.bytes(random.between(96, 400)),
  });
}

function totalsProofAgain(bytes: Uint8Array): Uint8Array {
  const reader = new Reader(bytes, 'proof');
  reader.u8();
  const [outputs, positions, validators, keys] = [64, 64, 64, 64].map((size) => reader.raw(size));
  const totals = reader.raw(bytes.length - reader.offset);
  const totalsRoot = hashLabel(LABELS.totals, totals);
  const roots = { outputs, positions, validators, keys };
  const { trees } = checkTotalsProof(bytes, stateRoot({ ...roots, totalsRoot } as StateRoots));
  const [first, second, third, fourth] = [
    trees.outputs,
    trees.positions,
    trees.validators,
    trees.keys,
  ].map((tree) => encodeSubtree(tree));
  const again = { outputs: first, positions: second, validators: third, keys: fourth, totals };
  return encodeTotalsProof(again as TotalsProof);
}

export const PROOF_CODECS: readonly Codec[] = [
  {
    name: 'output_value',
    generate: (random) => encodeOutputValue(anyOutput(random, anyAddress(random))),
    again: (bytes) => encodeOutputValue(decodeOutputValue(bytes)),
  },
  { name: 'totals_proof', generate: anyTotalsProof, again: totalsProofAgain },
  {
    name: 'list_proof',
    generate: (random) => encodeListProof(anyListProof(random)),
    again: (bytes) => {
      const reader = new Reader(bytes);
      const proof = readListProof(reader);
      reader.end();
      return encodeListProof(proof);
    },
  },
  {
    name: 'changes_proof',
    generate: (random) => {
      const list = anyListProof(random);
      return encodeLeavesProof(
        list,
        list.indexes.map(() => anyChangeLeaf(random)),
      );
    },
    again: (bytes) => {
      const { list, leaves } = decodeChangesProof(bytes);
      return encodeLeavesProof(list, encodeChangeLeaves(leaves));
    },
  },
  {
    name: 'ids_proof',
    generate: (random) => {
      const list = anyListProof(random);
      return encodeLeavesProof(
        list,
        list.indexes.map(() => random.bytes(48)),
      );
    },
    again: (bytes) => {
      const { list, leaves } = decodeIdsProof(bytes);
      return encodeLeavesProof(list, leaves);
    },
  },
  {
    name: 'outcomes_proof',
    generate: (random) => {
      const list = anyListProof(random);
      return encodeLeavesProof(
        list,
        list.indexes.map(() => anyOutcomeLeaf(random)),
      );
    },
    again: (bytes) => {
      const { list, leaves } = decodeOutcomesProof(bytes);
      return encodeLeavesProof(list, encodeOutcomeLeaves(leaves));
    },
  },
  {
    name: 'output_proof',
    generate: (random) => {
      const { outputs } = anyOutputs(random, 1);
      const tree = new ReferenceTree(outputs, anyRoots(random));
      return encodeOutputProof(tree.proveOutput(random.pick(outputs)));
    },
    again: (bytes) => {
      const folded = foldOutputProof(bytes);
      return encodeOutputProof(sameVerdict(folded, (root) => checkOutputProof(bytes, root)).proof);
    },
  },
  {
    name: 'completeness_proof',
    generate: (random) => {
      const { own, outputs } = anyOutputs(random, 0);
      const tree = new ReferenceTree(outputs, anyRoots(random));
      return encodeCompletenessProof(tree.proveCompleteness(own));
    },
    again: (bytes) => {
      const folded = foldCompletenessProof(bytes);
      const address = folded?.proof.address ?? new Uint8Array(49);
      const check = (root: Uint8Array) => checkCompletenessProof(bytes, root, address);
      return encodeCompletenessProof(sameVerdict(folded, check).proof);
    },
  },
];
