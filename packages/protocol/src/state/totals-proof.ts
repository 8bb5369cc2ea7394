/**
 * The proof of the totals: their bytes and the roots of the four trees, which hash to the state root. It shows how much was
 * minted, and where all of it is; `docs/protocol.md` 9.3 and 9.5. What follows the figures read here is hashed as it
 * stands.
 */
import { equalBytes, expectBytes } from '../base/bytes.ts';
import { LABELS } from '../base/labels.ts';
import { Reader } from '../base/reader.ts';
import { SvcError } from '../base/svc-error.ts';
import { Writer } from '../base/writer.ts';
import { CertifiedCut } from '../cut/certified-cut.ts';
import { hashLabel } from '../kernel/hash-label.ts';
import { HASH_BYTES, SUBTREE_BYTES } from './layout.ts';
import { PROOF_VERSION } from './proof-input.ts';
import { stateRoot } from './state-root.ts';
import { decodeSubtree, type Subtree } from './subtree.ts';

/** A committee of 64 and a pool of 64 members take 10 KB. */
const PROOF_BYTES_MAX = 1 << 16;

/** Roots of the trees, each as a subtree of 64 bytes, and the bytes that the totals root is the hash of. */
export interface TotalsProof {
  readonly outputs: Uint8Array;
  readonly positions: Uint8Array;
  readonly validators: Uint8Array;
  readonly keys: Uint8Array;
  readonly totals: Uint8Array;
}

/** Sums after one cut, in atoms. */
export interface ProvenTotals {
  readonly height: bigint;
  readonly minted: bigint;
  readonly burned: bigint;
  readonly outputs: bigint;
  readonly bonded: bigint;
  readonly unbonding: bigint;
  readonly slashed: bigint;
  readonly workReserve: bigint;
  readonly stakeReserve: bigint;
  /** Emission of the intervals after the running one. */
  readonly remaining: bigint;
  /** Thousandths of an atom that the last division left. */
  readonly carry: bigint;
  readonly intervalAmount: bigint;
  /** What the trees themselves add up to. */
  readonly trees: {
    readonly outputs: Subtree;
    readonly positions: Subtree;
    readonly validators: Subtree;
    readonly keys: Subtree;
  };
}

export function encodeTotalsProof(proof: TotalsProof, path = 'proof'): Uint8Array {
  const writer = new Writer().u8(PROOF_VERSION);
  for (const name of ['outputs', 'positions', 'validators', 'keys'] as const) {
    writer.raw(expectBytes(proof[name], `${path}.${name}`, SUBTREE_BYTES));
  }
  return writer.raw(expectBytes(proof.totals, `${path}.totals`)).finish();
}

/** The totals after a certified cut. Refuses a proof of another cut. */
export function certifiedTotals(proof: Uint8Array, cut: CertifiedCut): ProvenTotals {
  const totals = checkTotalsProof(proof, CertifiedCut.rootsOf(cut).state);
  if (totals.height === cut.height) return totals;
  const found = `the totals are those of height ${totals.height}`;
  throw new SvcError('bad_proof', found, { path: 'proof' });
}

/** Refuses a proof that does not lead to the state root. */
export function checkTotalsProof(proof: Uint8Array, root: Uint8Array): ProvenTotals {
  const bytes = expectBytes(proof, 'proof');
  if (bytes.length > PROOF_BYTES_MAX) {
    const found = `expected at most ${PROOF_BYTES_MAX} bytes, found ${bytes.length}`;
    throw new SvcError('bad_length', found, { path: 'proof' });
  }
  const reader = new Reader(bytes, 'proof');
  if (reader.u8() !== PROOF_VERSION) {
    throw new SvcError('bad_proof', `expected version ${PROOF_VERSION}`, { path: 'proof' });
  }
  const outputs = reader.raw(SUBTREE_BYTES);
  const positions = reader.raw(SUBTREE_BYTES);
  const validators = reader.raw(SUBTREE_BYTES);
  const keys = reader.raw(SUBTREE_BYTES);
  const totalsRoot = hashLabel(LABELS.totals, bytes.subarray(reader.offset));
  const found = stateRoot({ outputs, positions, validators, keys, totalsRoot });
  if (!equalBytes(found, expectBytes(root, 'stateRoot', HASH_BYTES))) {
    throw new SvcError('bad_proof', 'the totals do not lead to the state root', { path: 'proof' });
  }
  return {
    height: reader.u64(),
    minted: reader.u64(),
    burned: reader.u64(),
    outputs: reader.u64(),
    bonded: reader.u64(),
    unbonding: reader.u64(),
    slashed: reader.u64(),
    workReserve: reader.u64(),
    stakeReserve: reader.u64(),
    remaining: reader.u64(),
    carry: reader.u64(),
    intervalAmount: reader.u64(),
    trees: {
      outputs: decodeSubtree(outputs),
      positions: decodeSubtree(positions),
      validators: decodeSubtree(validators),
      keys: decodeSubtree(keys),
    },
  };
}
