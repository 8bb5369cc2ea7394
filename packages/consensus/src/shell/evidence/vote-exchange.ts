/**
 * Brings the two halves of an equivocation together. Signed messages of the last heights are kept, on disk as well.
 * Two heights later every neighbour gets a report of them without the signatures. A neighbour that holds a
 * contradicting message sends it to the reporter, who then has both. Contradicting reports of two neighbours are sent
 * to both of them.
 */
import type {
  CommitCertificate,
  DigestEntry,
  Height,
  LoggedInput,
  PolkaCertificate,
  SignedMessage,
  VoteDigest,
  VoteReport,
} from 'svc-consensus/machine';
import {
  bitOf,
  membersOf,
  REPORT_DIGESTS_MAX,
  REPORT_HEARD_MAX,
  VoteMemory,
} from 'svc-consensus/machine';
import type { Driver } from '../driver.ts';
import type { QuestionBudget } from '../peers/question-budget.ts';
import type { Speaker } from '../peers/speaker.ts';
import { ConflictingReports } from './conflicting-reports.ts';
import type { EvidencePool } from './evidence-pool.ts';

/** Late votes of a height have mostly come when it is reported. */
const REPORTED_AFTER = 2;
/** A report that was not answered after so many heights is sent again. */
const REPEATED_AFTER = 2;

interface Peer {
  /** Versions of its digests that were processed and not yet acknowledged. */
  readonly heard: Map<Height, number>;
  /** Versions of our digests that it has looked at. */
  readonly knows: Map<Height, number>;
  readonly sent: Map<Height, { readonly version: number; readonly at: number }>;
}

export interface ExchangeParts {
  readonly speaker: Speaker;
  readonly evidence: EvidencePool;
  readonly budget: QuestionBudget;
}

export class VoteExchange {
  readonly #driver: Driver;
  readonly #parts: ExchangeParts;
  readonly #memory = new VoteMemory();
  readonly #reports = new ConflictingReports();
  readonly #peers = new Map<string, Peer>();

  constructor(driver: Driver, parts: ExchangeParts) {
    this.#driver = driver;
    this.#parts = parts;
  }

  /** Begins with what is on disk: messages of earlier heights, and the log of the height in progress. */
  recall(): void {
    const { records, ports, state } = this.#driver;
    this.see();
    for (const message of ports.files.evidence.foundMessages) this.learn(message);
    this.#memory.takeFresh();
    if (records.foundLog.type !== 'read') return;
    for (const input of records.foundLog.inputs) this.#recallInput(input);
    this.#memory.see(state.context.height, state.round.round);
  }

  #recallInput(input: LoggedInput): void {
    switch (input.type) {
      case 'vote':
        this.learn(input.vote);
        break;
      case 'proposal':
        this.learn(input.proposal);
        break;
      case 'commitCertificate':
      case 'polkaCertificate':
        this.learnCertificate(input.certificate);
        break;
      default:
    }
  }

  /** Takes the machine's position. */
  see(): void {
    const { context, round } = this.#driver.state;
    this.#memory.see(context.height, round.round);
  }

  /**
   * Whether a message would be new here or would convict a validator; a proposal without its cut is requested in
   * disputes only.
   */
  isWanted(message: SignedMessage): boolean {
    if (this.#isOwn(message) || !this.#memory.isWanted(message)) return false;
    if (this.#memory.conflictOf(message) === undefined)
      return message.kind !== 'proposal' || this.#reports.isDisputed(message);
    return this.#parts.evidence.isUnknown(message.height, message.validatorIndex);
  }

  isCertificateWanted(certificate: CommitCertificate | PolkaCertificate): boolean {
    return this.#driver.rules.votesIn(certificate).some((vote) => this.isWanted(vote));
  }

  /** Keeps a message whose signature holds. */
  learn(message: SignedMessage): void {
    if (this.#isOwn(message)) return;
    const conflict = this.#memory.add(message);
    if (conflict !== undefined) this.#parts.evidence.add(conflict);
  }

  /** Own messages are not kept: they would be new each time. */
  #isOwn({ height, validatorIndex }: SignedMessage): boolean {
    return this.#driver.ownIndexAt(height) === validatorIndex;
  }

  learnCertificate(certificate: CommitCertificate | PolkaCertificate): void {
    for (const vote of this.#driver.rules.votesIn(certificate)) this.learn(vote);
  }

  /** Makes the messages of the last height durable before its log is emptied. */
  save(): void {
    const { evidence } = this.#driver.ports.files;
    evidence.appendMessages(this.#memory.takeFresh());
    evidence.sync();
  }

  /** At a new height every neighbour gets the reports that it has not received yet. */
  report(height: number): void {
    const { speaker } = this.#parts;
    const heights = this.#memory.heights();
    if (heights[0] !== undefined) this.#reports.forgetBelow(heights[0]);
    for (const to of speaker.neighbours()) {
      const report = this.#reportFor(this.#peerOf(to), height, heights);
      if (report.digests.length > 0 || report.heard.length > 0) speaker.send(to, report);
    }
  }

  onReport(from: string, { digests, heard }: VoteReport): void {
    const { speaker, evidence, budget } = this.#parts;
    if (!budget.mayAsk(from)) return;
    const peer = this.#peerOf(from);
    for (const { height, version } of heard) peer.knows.set(height, version);
    for (const digest of digests) {
      if (digest.height > this.#driver.height) continue;
      const against = this.#memory
        .messagesAgainst(digest)
        .filter(({ height, validatorIndex }) => evidence.isUnknown(height, validatorIndex));
      for (const message of against) speaker.send(from, message);
      const disputes = this.#confront(from, digest);
      budget.charge(from, against.length + disputes);
      if (this.#driver.rules.isReportSettled(against.length + disputes))
        peer.heard.set(digest.height, digest.version);
    }
  }

  /** Sends contradicting reports of two neighbours to both; returns how many there are. */
  #confront(from: string, digest: VoteDigest): number {
    const { speaker } = this.#parts;
    const { height } = digest;
    if (height < (this.#memory.lowestHeight() ?? 0)) return 0;
    const unseen: DigestEntry[] = [];
    for (const entry of this.#memory.unseenIn(digest)) {
      const open = this.#unpunished(height, entry);
      if (open !== undefined) unseen.push(open);
    }
    const dispute = this.#reports.hear(from, height, unseen);
    if (dispute === undefined) return 0;
    speaker.send(from, voteReportOf(height, dispute.saidByOther));
    speaker.send(dispute.other, voteReportOf(height, dispute.said));
    return 1;
  }

  /** A line without those whose offence is known. */
  #unpunished(height: Height, entry: DigestEntry): DigestEntry | undefined {
    const { evidence } = this.#parts;
    let { signers } = entry;
    for (const index of membersOf(entry.signers))
      if (!evidence.isUnknown(height, index)) signers ^= bitOf(index);
    if (signers === entry.signers) return entry;
    return signers === 0n ? undefined : { ...entry, signers };
  }

  #reportFor({ heard, knows, sent }: Peer, height: number, heights: readonly Height[]): VoteReport {
    const acknowledged: { height: Height; version: number }[] = [];
    for (const [at, version] of heard) {
      if (acknowledged.length >= REPORT_HEARD_MAX) break;
      acknowledged.push({ height: at, version });
      heard.delete(at);
    }
    const lowest = heights[0] ?? 0;
    forgetBelow(knows, lowest);
    forgetBelow(sent, lowest);
    const digests: VoteDigest[] = [];
    for (const at of heights) {
      if (at > height - REPORTED_AFTER || digests.length >= REPORT_DIGESTS_MAX) break;
      const version = this.#memory.versionOf(at);
      if (version === 0 || knows.get(at) === version) continue;
      const last = sent.get(at);
      if (last?.version === version && height - last.at < REPEATED_AFTER) continue;
      digests.push(this.#memory.digestOf(at));
      sent.set(at, { version, at: height });
    }
    return { kind: 'voteReport', digests, heard: acknowledged };
  }

  #peerOf(validatorId: string): Peer {
    let peer = this.#peers.get(validatorId);
    if (peer === undefined) {
      peer = { heard: new Map(), knows: new Map(), sent: new Map() };
      this.#peers.set(validatorId, peer);
    }
    return peer;
  }
}

function forgetBelow(known: Map<Height, unknown>, lowest: number): void {
  for (const at of known.keys()) if (at < lowest) known.delete(at);
}

/** A report of what other validators report: version 0, since digests of our own begin with 1. */
function voteReportOf(height: Height, entries: readonly DigestEntry[]): VoteReport {
  return { kind: 'voteReport', digests: [{ height, version: 0, entries }], heard: [] };
}
