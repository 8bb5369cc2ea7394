/**
 * Reception of messages from others: decides which are wanted, and hands verified ones to the machine, the fetcher or
 * the request server.
 */
import {
  type Admission,
  admitPolka,
  type CommitCertificate,
  type Input,
  isBitSet,
  isTimely,
  limits,
  NO_ROUND,
  type PolkaCertificate,
  type Proposal,
  type ProposalWithCut,
  type SignedMessage,
  type UnsignedMessage,
  votedBy,
  type WireMessage,
} from 'svc-consensus/machine';
import type { CutFetcher } from '../cuts/cut-fetcher.ts';
import type { KnownCuts } from '../cuts/known-cuts.ts';
import type { Driver } from '../driver.ts';
import type { EvidencePool } from '../evidence/evidence-pool.ts';
import type { VoteExchange } from '../evidence/vote-exchange.ts';
import type { HeightChange } from '../heights/height-change.ts';
import type { MessageCodec } from '../ports/overlay.ts';
import type { KeyWatch } from '../start/key-watch.ts';
import type { Arrival, Wanted } from './inbox.ts';
import type { QuestionBudget } from './question-budget.ts';
import type { RequestServer } from './request-server.ts';
import type { Speaker } from './speaker.ts';

export interface ReceptionParts {
  readonly cuts: KnownCuts;
  readonly fetcher: CutFetcher;
  readonly requests: RequestServer;
  readonly speaker: Speaker;
  readonly heights: HeightChange;
  readonly evidence: EvidencePool;
  readonly exchange: VoteExchange;
  readonly budget: QuestionBudget;
  readonly codec: Pick<MessageCodec<unknown>, 'blockIdOf'>;
  readonly keyWatch: Pick<KeyWatch, 'hearMessage'>;
}

type MessageOf<Kind extends WireMessage['kind']> = Extract<WireMessage, { kind: Kind }>;

export class Reception {
  readonly #driver: Driver;
  readonly #parts: ReceptionParts;
  /** The account that a query to the machine is charged to. */
  readonly #askers = new WeakMap<Input, string>();

  constructor(driver: Driver, parts: ReceptionParts) {
    this.#driver = driver;
    this.#parts = parts;
  }

  isWanted(message: WireMessage): Wanted {
    const { cuts, fetcher, evidence, exchange } = this.#parts;
    const { state } = this.#driver;
    const foreign = this.#foreignUse(message);
    if (foreign !== undefined) return foreign;
    if (this.#driver.isMuted) return 'drop';
    switch (message.kind) {
      case 'prevote':
      case 'precommit':
        return this.#isSignedWanted(message);
      case 'proposal':
        if (cuts.get(message.value) !== undefined) return this.#isSignedWanted(message);
        return exchange.isWanted(message) ? 'verify' : 'drop';
      case 'proposalWithCut':
        return isOwnWork(message) ? this.#isSignedWanted(message.proposal) : 'reject';
      case 'commitCertificate':
        return this.#isWantedIf(this.#isCommitNeeded(message), message);
      case 'decision':
        return this.#isWantedIf(this.#isCommitNeeded(message.certificate), message.certificate);
      case 'polkaCertificate':
        return this.#isWantedIf(admitPolka(state, message), message);
      case 'evidence':
        return evidence.isWanted(message) ? 'verify' : 'drop';
      case 'cut':
        return fetcher.isWantedCut(message.cut.value) ? 'accept' : 'drop';
      default:
        return 'accept';
    }
  }

  /** The machine needs it, or it may convict its author. */
  #isSignedWanted(message: SignedMessage): Wanted {
    const { state, rules } = this.#driver;
    const admission: Admission = rules.admit(state, message);
    if (admission !== 'ignore') return admission;
    return this.#parts.exchange.isWanted(message) ? 'verify' : 'drop';
  }

  /**
   * Votes beyond the window share one slot of their validator: each one that is kept raises the threshold for the
   * next.
   */
  slotOf(message: WireMessage): string {
    const signed = signedPartOf(message);
    if (signed !== undefined) return this.#slotOfSigned(signed);
    const certificate = certificateIn(message);
    if (certificate !== undefined) {
      const { kind, height, round, value } = certificate;
      return `${kind}/${height}/${round}/${value}`;
    }
    if (message.kind !== 'evidence') return message.kind;
    const { height, validatorIndex } = message.first;
    return `evidence/${height}/${validatorIndex}`;
  }

  #slotOfSigned({ kind, height, round, validRound, value, validatorIndex }: SignedMessage): string {
    const { state } = this.#driver;
    const isFar = round > Math.max(state.round.round, 0) + limits.ROUNDS_AHEAD_MAX;
    if (isFar && height === state.context.height) return `far/${validatorIndex}`;
    return `${kind}/${height}/${round}/${validRound}/${value}/${validatorIndex}`;
  }

  /** The account of a query that the machine has answered. */
  askerOf(question: Input): string | undefined {
    return this.#askers.get(question);
  }

  #isWantedIf(isNeeded: boolean, certificate: CommitCertificate | PolkaCertificate): Wanted {
    return isNeeded || this.#parts.exchange.isCertificateWanted(certificate) ? 'verify' : 'drop';
  }

  deliver(arrival: Arrival): void {
    const { message, from } = arrival;
    if (this.#stopsTheKey(message) || this.#driver.isMuted) return;
    this.#learn(message);
    switch (message.kind) {
      case 'prevote':
      case 'precommit':
        this.#acceptVote(message);
        break;
      case 'proposal':
      case 'proposalWithCut':
        this.#acceptProposal(message, arrival);
        break;
      case 'commitCertificate':
        this.#acceptCommit(message);
        break;
      case 'decision':
        this.#parts.cuts.learn(message.cut);
        this.#parts.heights.helpedBy(from);
        this.#acceptCommit(message.certificate);
        break;
      case 'polkaCertificate':
        this.#driver.input({ type: 'polkaCertificate', certificate: message });
        break;
      default:
        this.#acceptUnsigned(arrival);
    }
  }

  /** A message that may convict its author is kept, whether the machine needs it or not. */
  #learn(message: WireMessage): void {
    const { evidence, exchange } = this.#parts;
    const signed = signedPartOf(message);
    const certificate = certificateIn(message);
    if (signed !== undefined) exchange.learn(signed);
    else if (certificate !== undefined) exchange.learnCertificate(certificate);
    else if (message.kind === 'evidence') evidence.add(message);
  }

  /** Reports and summaries go to neighbours alone; a forwarded one does not come from the validator that it names. */
  #acceptUnsigned({ from, isDirect, account: asker, message }: Arrival): void {
    const { cuts, fetcher, requests } = this.#parts;
    switch (message.kind) {
      case 'voteReport':
        if (isDirect && this.#driver.indexOf(from) !== undefined)
          this.#parts.exchange.onReport(from, message);
        break;
      case 'cutRequest':
        requests.sendCut(from, message, asker);
        break;
      case 'blocksRequest':
        requests.sendBlocks(from, message.ids, asker);
        break;
      case 'cut':
        cuts.learn(message.cut);
        fetcher.evaluateAgain();
        break;
      case 'block':
        this.#acceptBlock(message);
        break;
      case 'summary':
        if (isDirect) this.#acceptQuestion(from, message, asker);
        break;
      case 'polkaRequest':
      case 'precommitsRequest':
        this.#acceptQuestion(from, message, asker);
        break;
      default:
    }
  }

  /** Questions that the machine answers, if their sender sits in the committee. */
  #acceptQuestion(
    sender: string,
    message: MessageOf<'summary' | 'polkaRequest' | 'precommitsRequest'>,
    asker: string,
  ): void {
    if (message.kind === 'summary' && message.height < this.#driver.height) {
      this.#parts.requests.sendDecision(sender, message.height, asker);
      return;
    }
    const from = this.#driver.indexOf(sender);
    if (from === undefined || !this.#parts.budget.mayAsk(asker)) return;
    const { kind: type, ...rest } = message;
    const input = (
      message.kind === 'summary' ? { type, from, summary: message } : { type, from, ...rest }
    ) as Input;
    this.#askers.set(input, asker);
    this.#driver.input(input);
  }

  #acceptVote(vote: MessageOf<'prevote' | 'precommit'>): void {
    this.#driver.input({ type: 'vote', vote });
    if (vote.height === this.#driver.height - 1) this.#parts.fetcher.evaluateAgain();
  }

  /** One that was verified for what it reveals about its signers may be of no use to the machine. */
  #acceptCommit(certificate: CommitCertificate): void {
    if (!this.#isCommitNeeded(certificate)) return;
    this.#driver.input({ type: 'commitCertificate', certificate });
    if (certificate.height === this.#driver.height - 1) this.#parts.fetcher.evaluateAgain();
  }

  /**
   * Certificates of the previous height: one of another cut stops the node; those of the same cut may prove what a
   * header claims.
   */
  #isCommitNeeded({ height, round, value }: CommitCertificate): boolean {
    const { context, decided, certified, previous } = this.#driver.state;
    if (height === context.height) return decided === undefined && certified === undefined;
    if (previous?.certificate.height !== height) return false;
    return value !== previous.certificate.value || this.#parts.fetcher.isWantedRound(round);
  }

  #acceptProposal(
    message: MessageOf<'proposal' | 'proposalWithCut'>,
    { atMillis, from }: Arrival,
  ): void {
    const { cuts, speaker } = this.#parts;
    const proposal = message.kind === 'proposal' ? message : message.proposal;
    if (message.kind === 'proposalWithCut') cuts.learn(message.cut);
    const cut = cuts.get(proposal.value);
    if (cut === undefined) return;
    const { time } = cut.fields;
    const untimely = this.#untimelyReason(proposal, time, atMillis);
    this.#driver.diary.proposal(proposal.height, atMillis, untimely);
    const receivedAtMs = BigInt(atMillis);
    this.#driver.input({ type: 'proposal', proposal, cutTimeMs: time, receivedAtMs });
    speaker.passOn(message, from);
  }

  #untimelyReason(
    { round, validRound }: Proposal,
    cutTimeMs: bigint,
    atMillis: number,
  ): string | undefined {
    const { timing } = this.#driver.rules;
    if (validRound !== NO_ROUND || isTimely(timing, round, cutTimeMs, BigInt(atMillis)))
      return undefined;
    const ahead = Number(cutTimeMs) - atMillis;
    return ahead > 0
      ? `its time is ${ahead} ms ahead of the clock here`
      : `its time is ${-ahead} ms behind the clock here`;
  }

  /**
   * A message of our own key that we do not remember, alone or among the signatures of a certificate: another process
   * has the key, and it stops. A message of ours is of no further use; a certificate is.
   */
  #stopsTheKey(message: WireMessage): boolean {
    const own = this.#ownPartOf(message);
    if (own === undefined || !this.#parts.keyWatch.hearMessage(own)) return false;
    return signedPartOf(message) !== undefined;
  }

  /** The part of a message that our own key has signed. */
  #ownPartOf(message: WireMessage): UnsignedMessage | undefined {
    const signed = signedPartOf(message);
    if (signed !== undefined) return this.#isOwn(signed) ? signed : undefined;
    const certificate = certificateIn(message);
    if (certificate === undefined) return undefined;
    const own = this.#driver.ownIndexAt(certificate.height);
    if (own === undefined || !isBitSet(certificate.signers, own)) return undefined;
    const vote = votedBy(certificate, own);
    return this.#isOwn(vote) ? vote : undefined;
  }

  #isOwn({ validatorIndex, height }: UnsignedMessage): boolean {
    return this.#driver.rules.isOwn(validatorIndex, this.#driver.ownIndexAt(height));
  }

  /**
   * What to do with a message, alone or in a certificate, which our own key signed and our record lacks. Once the
   * key has stopped, a certificate is looked at like any other, and the rest is of no use.
   */
  #foreignUse(message: WireMessage): Wanted | undefined {
    const { signer, signedBytes } = this.#driver;
    const own = this.#ownPartOf(message);
    if (own === undefined) return undefined;
    const { kind, height, round } = own;
    if (!signer.isUnknown(kind, height, round, signedBytes(own))) return undefined;
    if (!signer.state.stopped) return 'verify';
    return signedPartOf(message) === undefined ? undefined : 'drop';
  }

  #acceptBlock(message: MessageOf<'block'>): void {
    const { codec, fetcher } = this.#parts;
    const { header, body } = message;
    const id = codec.blockIdOf(message);
    if (id !== undefined && fetcher.isWantedBlock(id)) fetcher.acceptBlock({ id, header, body });
  }
}

/** The message that a validator signed, alone or inside a proposal with its cut. */
function signedPartOf(message: WireMessage): SignedMessage | undefined {
  switch (message.kind) {
    case 'prevote':
    case 'precommit':
    case 'proposal':
      return message;
    case 'proposalWithCut':
      return message.proposal;
    default:
      return undefined;
  }
}

function certificateIn(message: WireMessage): CommitCertificate | PolkaCertificate | undefined {
  switch (message.kind) {
    case 'decision':
      return message.certificate;
    case 'commitCertificate':
    case 'polkaCertificate':
      return message;
    default:
      return undefined;
  }
}

/** A fresh proposal is of a cut that the proposer built itself, for this height. */
function isOwnWork({ proposal, cut: { fields } }: ProposalWithCut): boolean {
  if (fields.height !== BigInt(proposal.height)) return false;
  return proposal.validRound !== NO_ROUND || fields.proposer === proposal.validatorIndex;
}
