/**
 * A cut that its validators made final, with the state root that its header names. Only a header, a certificate and
 * the signing set make one, and proofs about the state are compared with nothing else: a root that comes with an
 * answer cannot replace it.
 */
import { expectByteList } from '../base/byte-list.ts';
import { expectBytes, toHex } from '../base/bytes.ts';
import { kindOf } from '../base/kind-of.ts';
import { Reader } from '../base/reader.ts';
import { ID_BYTES } from '../base/sizes.ts';
import { SvcError } from '../base/svc-error.ts';
import { checkLeaves, readListProof } from '../list/list-proof.ts';
import { type CutHeader, cutId, decodeCutHeader } from './cut-header.ts';
import { signerIndexes } from './signers.ts';
import { decodeValidatorSet, type ValidatorSet } from './validator-set.ts';
import { type CertificateFacts, checkCut } from './verify-certificate.ts';

/** What the header of a cut commits to, 48 bytes each. */
export interface CutRoots {
  readonly state: Uint8Array;
  readonly history: Uint8Array;
  readonly outcomes: Uint8Array;
  readonly changes: Uint8Array;
}

export class CertifiedCut {
  readonly chainId: string;
  readonly cutId: string;
  readonly height: bigint;
  /** The cut before, which this one makes final again. */
  readonly parentCutId: string;
  /** Unix milliseconds. */
  readonly time: bigint;
  /** What became of each transaction of the cut, hashed; `docs/protocol.md` 9.6. */
  readonly outcomeRoot: string;
  readonly validatorSetId: string;
  /** The set that signs the cut at the next height. */
  readonly nextValidatorSetId: string;
  /** Height of the certificate that proves it: its own, or that of a later cut. */
  readonly signedStake: bigint;
  readonly totalStake: bigint;
  /** Indexes into the set. */
  readonly signers: readonly number[];
  readonly #roots: CutRoots;
  readonly #facts: CertificateFacts;

  private constructor(header: CutHeader, facts: CertificateFacts) {
    this.chainId = toHex(header.chainId);
    this.cutId = toHex(facts.cutId);
    this.height = facts.height;
    this.parentCutId = toHex(header.parentCutId);
    this.time = header.time;
    this.outcomeRoot = toHex(header.outcomeRoot);
    this.validatorSetId = toHex(header.validatorSetId);
    this.nextValidatorSetId = toHex(header.nextValidatorSetId);
    this.signedStake = facts.signedStake;
    this.totalStake = facts.totalStake;
    this.signers = signerIndexes(facts.signers);
    this.#roots = {
      state: header.stateRoot.slice(),
      history: header.historyRoot.slice(),
      outcomes: header.outcomeRoot.slice(),
      changes: header.changesRoot.slice(),
    };
    this.#facts = facts;
    Object.freeze(this);
  }

  /** Refuses unless header, certificate and set belong together and the signatures hold. */
  static of(
    header: Uint8Array,
    certificate: Uint8Array,
    set: ValidatorSet,
    chainId: Uint8Array,
  ): CertifiedCut {
    const bytes = expectBytes(header, 'header').slice();
    const facts = checkCut(bytes, certificate, set, chainId);
    return new CertifiedCut(decodeCutHeader(bytes), facts);
  }

  /**
   * Cuts before a certified one, by their headers with ascending heights and the proof that their ids are in the list
   * that its header names. They rest on the signatures of that cut.
   */
  static before(
    cut: CertifiedCut,
    headers: readonly Uint8Array[],
    proof: Uint8Array,
  ): readonly CertifiedCut[] {
    const { history } = CertifiedCut.rootsOf(cut);
    const reader = new Reader(expectBytes(proof, 'proof'), 'proof');
    const list = readListProof(reader);
    reader.end();
    const given = expectByteList(headers, 'headers');
    const earlier = given.map((header, at) => decodeCutHeader(header, `headers[${at}]`));
    const ids = given.map(cutId);
    const isOfHeaders =
      BigInt(list.count) === cut.height &&
      earlier.every(({ height }, at) => height === BigInt(list.indexes[at] ?? -1));
    if (!isOfHeaders) {
      const message = 'the proof is about other cuts than the headers';
      throw new SvcError('bad_proof', message, { path: 'proof' });
    }
    checkLeaves(list, ids, history);
    return earlier.map(
      (header, at) =>
        new CertifiedCut(header, {
          ...cut.#facts,
          cutId: ids[at] as Uint8Array,
          height: header.height,
        }),
    );
  }

  /** The roots of a value that was made here; look-alikes are refused. */
  static rootsOf(cut: unknown): CutRoots {
    if (typeof cut === 'object' && cut !== null && #roots in cut) {
      const { state, history, outcomes, changes } = cut.#roots;
      return {
        state: state.slice(),
        history: history.slice(),
        outcomes: outcomes.slice(),
        changes: changes.slice(),
      };
    }
    const message = `expected a cut that certifyCut returned, found ${kindOf(cut)}`;
    throw new SvcError('bad_type', message, { path: 'cut' });
  }

  /** 96 hexadecimal characters, for showing. */
  get stateRoot(): string {
    return toHex(this.#roots.state);
  }
}

/**
 * From a certificate to the state root: checks that a cut is final and returns what it proves. The validator set's
 * preimage and the chain id are the caller's own, learnt from a cut it trusts and not from the sender of the header.
 */
export function certifyCut(
  header: Uint8Array,
  certificate: Uint8Array,
  validatorSet: Uint8Array,
  chainId: Uint8Array,
): CertifiedCut {
  const chain = expectBytes(chainId, 'chainId', ID_BYTES);
  return CertifiedCut.of(header, certificate, decodeValidatorSet(validatorSet), chain);
}

/** `certifyCut` with a set that was decoded before, for callers who certify many cuts of one set. */
export function certifyCutOfSet(
  header: Uint8Array,
  certificate: Uint8Array,
  set: ValidatorSet,
  chainId: Uint8Array,
): CertifiedCut {
  return CertifiedCut.of(header, certificate, set, expectBytes(chainId, 'chainId', ID_BYTES));
}

/**
 * Certifies cuts before a certified one, however old: their headers, heights ascending, and the proof that leads from
 * the history root of the certified cut to their ids; `docs/protocol.md` 8.8. No signature is checked again: what is
 * proven rests on those of the certified cut, and never makes a newer cut final.
 */
export function certifyEarlierCuts(
  cut: CertifiedCut,
  headers: readonly Uint8Array[],
  proof: Uint8Array,
): readonly CertifiedCut[] {
  return CertifiedCut.before(cut, headers, proof);
}

/**
 * `certifyCut` as a JSON document: `{cut_id, height, signed_stake, total_stake, signers, state_root, time,
 * validator_set_id, next_validator_set_id}`, integers as decimal strings; `signers` are indexes into the set.
 */
export function verifyCutCertificate(
  header: Uint8Array,
  certificate: Uint8Array,
  validatorSet: Uint8Array,
  chainId: Uint8Array,
): string {
  const cut = certifyCut(header, certificate, validatorSet, chainId);
  return JSON.stringify({
    cut_id: cut.cutId,
    height: cut.height.toString(),
    signed_stake: cut.signedStake.toString(),
    total_stake: cut.totalStake.toString(),
    signers: cut.signers.map(String),
    state_root: cut.stateRoot,
    time: cut.time.toString(),
    validator_set_id: cut.validatorSetId,
    next_validator_set_id: cut.nextValidatorSetId,
  });
}
