/**
 * Checks the signatures of what peers sent, many messages in one call. It takes and gives plain
 * bytes and values, so it runs as well in a worker as in the caller's thread. The keys of the sets it
 * knows stay expanded in the kernel. Whether a message is wanted at all is decided before, by `admit`.
 */
import { type ErrorCode, Reader, SvcError, toHex } from 'svc-wasm/base';
import {
  CUT_HEADER_BYTES,
  checkVotes,
  decodeCertificateHead,
  decodeEvidence,
  decodeProposal,
  decodeValidatorSet,
  decodeVote,
  PROPOSAL_BYTES,
  type ValidatorSet,
  type VoteKind,
  verifyProposal,
  verifyVote,
} from 'svc-wasm/protocol';
import { CUT_BODY_BYTES_MAX } from './cut-bytes.ts';
import { TAGS } from './tags.ts';

/** `wrong_validator_set` may be our own ignorance; every other code blames the sender. */
export type SignatureVerdict =
  | { readonly holds: true }
  | { readonly holds: false; code: ErrorCode };

/** The set of the height, the one before it, the next one, and one to spare. */
const SETS_MAX = 4;

export class Verifier {
  readonly #chainId: Uint8Array;
  readonly #sets = new Map<string, ValidatorSet>();

  constructor(chainId: Uint8Array) {
    this.#chainId = chainId;
  }

  /** Learns a set from its preimage and returns its id; the set learnt longest ago is forgotten. */
  learnSet(encoded: Uint8Array): string {
    const set = decodeValidatorSet(encoded);
    const id = toHex(set.id);
    this.#sets.delete(id);
    this.#sets.set(id, set);
    const [oldest] = this.#sets.keys();
    if (this.#sets.size > SETS_MAX && oldest !== undefined) this.#sets.delete(oldest);
    return id;
  }

  /**
   * Each message is a proposal, vote or certificate behind its tag, alone or with a cut, which is not
   * looked at here; one verdict for each.
   */
  verifyBatch(messages: readonly Uint8Array[]): SignatureVerdict[] {
    return messages.map((message) => this.verify(message));
  }

  verify(message: Uint8Array): SignatureVerdict {
    try {
      return this.#holds(message) ? { holds: true } : { holds: false, code: 'bad_signature' };
    } catch (error) {
      if (error instanceof SvcError) return { holds: false, code: error.code };
      throw error;
    }
  }

  #holds(message: Uint8Array): boolean {
    const content = message.subarray(1);
    switch (message[0]) {
      case TAGS.proposal:
        return this.#proposalHolds(content);
      case TAGS.proposalWithCut:
        return this.#proposalHolds(content.subarray(0, PROPOSAL_BYTES));
      case TAGS.decision:
        return this.#votesHold('precommit', behindCut(content), 'certificate');
      case TAGS.vote: {
        const vote = decodeVote(content);
        return verifyVote(vote, this.#chainId, this.#setOf(vote));
      }
      case TAGS.commitCertificate:
        return this.#votesHold('precommit', content, 'certificate');
      case TAGS.polkaCertificate:
        return this.#votesHold('prevote', content, 'polka');
      case TAGS.evidence:
        return this.#pairHolds(content);
      default:
        throw new SvcError('bad_cut', `no signature belongs to a message with tag ${message[0]}`);
    }
  }

  #proposalHolds(content: Uint8Array): boolean {
    const proposal = decodeProposal(content);
    return verifyProposal(proposal, this.#chainId, this.#setOf(proposal));
  }

  #pairHolds(content: Uint8Array): boolean {
    const evidence = decodeEvidence(content);
    if (evidence.kind === 'votes')
      return [evidence.first, evidence.second].every((vote) =>
        verifyVote(vote, this.#chainId, this.#setOf(vote)),
      );
    return [evidence.first, evidence.second].every((proposal) =>
      verifyProposal(proposal, this.#chainId, this.#setOf(proposal)),
    );
  }

  #votesHold(kind: VoteKind, content: Uint8Array, path: string): boolean {
    const set = this.#setOf(decodeCertificateHead(kind, content, path));
    return checkVotes(kind, content, set, this.#chainId).signedStake > 0n;
  }

  #setOf({ validatorSetId }: { readonly validatorSetId: Uint8Array }): ValidatorSet {
    const set = this.#sets.get(toHex(validatorSetId));
    if (set !== undefined) return set;
    throw new SvcError('wrong_validator_set', `no set ${toHex(validatorSetId)} is known here`);
  }
}

/** The certificate of a decision. */
function behindCut(content: Uint8Array): Uint8Array {
  const reader = new Reader(content, 'decision');
  reader.raw(CUT_HEADER_BYTES);
  reader.counted(CUT_BODY_BYTES_MAX);
  return content.subarray(reader.offset);
}
