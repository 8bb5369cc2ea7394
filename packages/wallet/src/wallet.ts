/**
 * A wallet that is open: its state, its keys, its node, and everything that runs between them. The daemon and
 * the command line are two ways to call it.
 */
import { type Clock, type Log, Signal } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { init, type Network, type WalletRoot } from 'svc-wasm';
import { WalletError } from './errors.ts';
import { Automatic } from './journal/automatic.ts';
import type { Reached } from './journal/crash-points.ts';
import { Outgoing } from './journal/outgoing.ts';
import { endRecovery, recoverState } from './journal/recover-state.ts';
import { Resender } from './journal/resender.ts';
import { Sender, Submissions } from './journal/sender.ts';
import { Mismatches } from './journal/settle.ts';
import { AddressBook } from './keys/address-book.ts';
import type { FixedAddresses } from './keys/fixed-addresses.ts';
import { Keychain } from './keys/keychain.ts';
import type { WalletPorts } from './methods/method.ts';
import { isPayment, makerOf } from './methods/table.ts';
import { NodeLink } from './node/node-link.ts';
import { Nodes, nodeClient } from './node/nodes.ts';
import { type Checkpoint, TrustedChain } from './node/trusted-chain.ts';
import { Follower } from './scan/follower.ts';
import { History } from './scan/history.ts';
import { Incoming } from './scan/incoming.ts';
import { CUTS_FOLLOWED_DEFAULT, GAP_DEFAULT, Scanner } from './scan/scanner.ts';
import { SharedPayments } from './shared/shared-payments.ts';
import type { Float } from './spend/float.ts';
import { expectHistoryRead, PaymentTurns } from './spend/payment-queue.ts';
import { AuditFile } from './state/audit-file.ts';
import type { StoredEvent } from './state/events.ts';
import { EventTeller, GroupCommit } from './state/group-commit.ts';
import type { Outcome } from './state/journal.ts';
import { JournalCopy } from './state/journal-copy.ts';
import type { State } from './state/open-state.ts';
import { acceptOutdated, lostPaymentOf, markChangeReused } from './state/readings.ts';

export interface WalletOptions {
  readonly state: State;
  /** Null where the keys are elsewhere. */
  readonly root: WalletRoot | null;
  /** Addresses that are not derived from the root. */
  readonly fixed?: FixedAddresses | null | undefined;
  /** Where the copy of the journal is; none is kept without. */
  readonly journalCopy?: string | undefined;
  /** Where payments are audited; they are not without. */
  readonly auditFile?: string | undefined;
  /** The state is the newest there is, although its copy is gone. */
  readonly isStateAccepted?: boolean | undefined;
  readonly network: Network;
  readonly log: Log;
  /** Where the node is. */
  readonly service: string;
  /** Where others are, which are asked where that one is not believed. */
  readonly otherServices?: readonly string[] | undefined;
  /** The identity that the node's answers must be signed with. */
  readonly identity?: string | undefined;
  /** The cut that trust begins with; on other networks than development nothing is believed without. */
  readonly checkpoint?: Checkpoint | undefined;
  /** The texts of recovery files that are followed. */
  readonly recoveries?: readonly string[] | undefined;
  readonly clock?: Clock | undefined;
  readonly confirmations?: number | undefined;
  readonly gap?: number | undefined;
  /** The most that one transaction may pay in fees, in atoms. */
  readonly feeMax?: bigint | undefined;
  readonly autoCompound?: number | null | undefined;
  readonly autoSweepTo?: string | null | undefined;
  /** The coins that are kept ready for payments. */
  readonly float?: Float | null | undefined;
  /** How many addresses change goes to in turn; each payment gets a new one without. */
  readonly changeAddresses?: number | null | undefined;
  /** Whether the token of this name was revoked; without, none ever is. */
  readonly isRevoked?: (caller: string) => boolean;
  /** How far a wallet may be behind its node to read each cut that it missed. */
  readonly cutsFollowedMax?: number | undefined;
  readonly reached?: Reached | undefined;
  readonly requestTimeoutMillis?: number | undefined;
}

export const FEE_MAX_DEFAULT = 10_000_000n;
export const CONFIRMATIONS_DEFAULT = 1;

export class Wallet implements WalletPorts {
  readonly state: State;
  readonly network: Network;
  readonly clock: Clock;
  readonly log: Log;
  readonly node: NodeLink;
  readonly keychain: Keychain;
  readonly history: History;
  readonly scanner: Scanner;
  readonly outgoing: Outgoing;
  readonly mismatches: Mismatches;
  readonly incoming: Incoming;
  readonly sharedPayments: SharedPayments;
  readonly events = new Signal<StoredEvent>();
  readonly confirmations: number;
  readonly #startedAtMillis: number;
  readonly #options: WalletOptions;
  readonly #follower: Follower;
  readonly #nodes: Nodes;
  readonly #resender: Resender;
  readonly #automatic: Automatic;
  readonly #copy: JournalCopy | undefined;
  readonly #auditFile: AuditFile | undefined;
  readonly #groupCommit: GroupCommit;
  readonly #teller: EventTeller;
  /** Ends the requests to the node when the wallet is closed. */
  readonly #closing = new AbortController();
  readonly #settled = new Map<Outcome, number>();
  #isOutdatedTold = false;

  static async open(options: WalletOptions): Promise<Wallet> {
    await init();
    if (options.isStateAccepted === true) {
      acceptOutdated(options.state);
      // Who accepts the state knows what was paid; the state may not, and pays for nothing by itself.
      options.state.stopped.holdAccepted();
    }
    if ((options.changeAddresses ?? null) !== null) markChangeReused(options.state);
    return new Wallet(options);
  }

  private constructor(options: WalletOptions) {
    const { clock = SYSTEM_CLOCK, fixed, log, network, root, state } = options;
    const { changeAddresses = null, checkpoint, float = null, isRevoked = () => false } = options;
    const reached = options.reached ?? (() => {});
    this.#nodes = nodesOf(options, this.#closing.signal);
    const { client } = this.#nodes;
    this.#options = options;
    this.state = state;
    this.network = network;
    this.clock = clock;
    this.log = log;
    this.#startedAtMillis = clock.now();
    this.confirmations = options.confirmations ?? CONFIRMATIONS_DEFAULT;
    this.node = new NodeLink({ client, network, meta: state.meta, clock });
    const book = new AddressBook(state.addresses);
    const { auditFile, isStateAccepted, journalCopy } = options;
    const copy =
      journalCopy === undefined ? undefined : JournalCopy.open(journalCopy, state, isStateAccepted);
    this.#copy = copy;
    const syncCopy = (): void => copy?.sync();
    const audit =
      auditFile === undefined ? undefined : new AuditFile({ path: auditFile, state, clock, log });
    this.#auditFile = audit;
    this.keychain = new Keychain({
      ...{ root, fixed, network, state, book, clock, log, changeAddresses },
      afterIssue: syncCopy,
    });
    if (copy !== undefined) this.#bringBack(copy);
    const teller = new EventTeller({ state, log, tell: (event) => this.#tell(event) });
    this.#teller = teller;
    this.mismatches = new Mismatches({ events: teller, log });
    const onEvents = (events: readonly StoredEvent[]): void => teller.tell(events);
    const following = { checkpoint, recoveries: options.recoveries };
    const trust = new TrustedChain({ client, network, meta: state.meta, clock, log, ...following });
    this.history = new History({ state, client, trust, clock, log, onEvents });
    const { history, keychain, node } = this;
    this.scanner = new Scanner({
      ...{ state, node, book, keychain, history, trust, network, clock, log, onEvents },
      confirmations: this.confirmations,
      gap: options.gap ?? GAP_DEFAULT,
      cutsFollowedMax: options.cutsFollowedMax ?? CUTS_FOLLOWED_DEFAULT,
      reached,
    });
    const onStateSynced = (): void => reached('journal_committed');
    this.#groupCommit = new GroupCommit({ state, copy, audit, onStateSynced });
    const beforeSend = (): Promise<void> => this.#groupCommit.synced();
    const submissions = new Submissions({ client, reached });
    const sender = new Sender({ state, client, submissions, clock, log, reached, beforeSend });
    const feeMax = options.feeMax ?? FEE_MAX_DEFAULT;
    this.incoming = new Incoming({ client, book, state, clock, log, events: teller });
    const money = { feeMax, float, incoming: this.incoming };
    const { mismatches, scanner } = this;
    const turns = new PaymentTurns({ state, keychain, node, history, scanner, clock, ...money });
    const making = { turns, sender, history, reached, makerOf, isPayment, isRevoked, syncCopy };
    this.outgoing = new Outgoing({ state, clock, log, mismatches, ...making });
    this.sharedPayments = new SharedPayments({
      ...{ state, keychain, node, history, turns, sender, clock, feeMax },
      ...{ mismatches, syncCopies: beforeSend },
    });
    const proving = { client, network, trust, manifest: () => this.#manifest() };
    this.#resender = new Resender({ state, clock, log, sender, onEvents, ...proving });
    this.#automatic = new Automatic({
      ...{ state, log, float, outgoing: this.outgoing },
      isChangeMerged: float === null && changeAddresses === null,
      ...{ compoundAbove: this.autoCompound, sweepTo: this.autoSweepTo },
    });
    const afterCatchUp = (): Promise<void> => this.#afterCatchUp();
    const afterError = (error: unknown): Promise<void> => this.#afterError(error);
    this.#follower = new Follower({ node, scanner, clock, afterCatchUp, afterError });
  }

  get autoCompound(): number | null {
    return this.#options.autoCompound ?? null;
  }

  get autoSweepTo(): string | null {
    return this.#options.autoSweepTo ?? null;
  }

  get float(): Float | null {
    return this.#options.float ?? null;
  }

  get uptimeSeconds(): number {
    return Math.floor((this.clock.now() - this.#startedAtMillis) / 1000);
  }

  /** Addresses looked at beyond the last one used. */
  get gap(): number {
    return Math.max(this.#options.gap ?? GAP_DEFAULT, this.state.meta.number('gap', 0));
  }

  async chainId(): Promise<string> {
    return this.state.meta.get('chain_id') ?? (await this.node.rules()).terms.chainId;
  }

  async #manifest(): Promise<string> {
    return (await this.node.rules()).terms.manifest;
  }

  /** How many transactions got this outcome, since the daemon started. */
  settledCount(outcome: Outcome): number {
    return this.#settled.get(outcome) ?? 0;
  }

  /** Throws `rescanning` while the past of the wallet is being read. */
  expectHistoryRead(): void {
    expectHistoryRead(this.state, this.node);
  }

  /** Begins to follow the node and to continue what a restart interrupted. */
  start(): void {
    this.#options.reached?.('startup_scan');
    this.outgoing.resume();
    this.#follower.start();
    this.incoming.start();
  }

  /** Reads the chain once, and what of the past is to be read again, for a command that ends soon. */
  async catchUp(): Promise<void> {
    for (let left = this.#nodes.count; ; left--) {
      try {
        await this.#catchUpOnce();
        return;
      } catch (error) {
        await this.#afterError(error);
        if (left === 1 || !isNotBelieved(error)) throw error;
      }
    }
  }

  async #catchUpOnce(): Promise<void> {
    await this.scanner.catchUp();
    const isReading = this.scanner.rescanProgress !== null;
    // A part that a node that is behind cannot show yet is left to the next start.
    for (let waited = 0; this.scanner.rescanProgress !== null && waited < 2; ) {
      if (await this.scanner.readPartAgain()) waited = 0;
      else if (++waited < 2) await this.scanner.catchUp();
    }
    // Cuts were made meanwhile.
    if (isReading) await this.scanner.catchUp();
    await this.#afterCatchUp();
  }

  rescan(gap: number | undefined, acceptHistory?: string): void {
    this.scanner.rescan(gap, acceptHistory);
    this.#follower.nudge();
  }

  async close(): Promise<void> {
    const following = this.#follower.close();
    this.#closing.abort();
    await this.incoming.close();
    await following;
    await this.#groupCommit.settled();
    await this.#teller.settled();
    this.keychain.free();
    this.#copy?.close();
    this.#auditFile?.close();
    this.state.close();
  }

  /** Gives a state that was restored from a backup what its copy has kept. */
  #bringBack(copy: JournalCopy): void {
    const { log, state } = this;
    if (copy.isAhead) {
      const { isStateAccepted } = this.#options;
      const recovered = recoverState(state, this.keychain, copy, isStateAccepted);
      log.warn({ ...recovered }, 'the state is older than its journal copy: it was restored');
    }
    if (copy.corrupt.length > 0) {
      const lines = copy.corrupt.join(', ');
      log.error({ lines }, 'records of the journal copy are corrupt: the disk is failing');
    }
    copy.sync();
  }

  /** Says once that the state is older than its wallet. */
  #tellOutdated(): void {
    const transaction = lostPaymentOf(this.state.meta);
    if (transaction === undefined || this.#isOutdatedTold) return;
    this.#isOutdatedTold = true;
    this.log.error({ transaction }, 'state and journal copy are old: nothing is paid');
  }

  #tell(event: StoredEvent): void {
    if (event.event === 'settled') {
      const { outcome } = JSON.parse(event.data) as { outcome: Outcome };
      this.#settled.set(outcome, this.settledCount(outcome) + 1);
    }
    this.events.emit(event);
  }

  /** Has another node asked where this one conceals or invents something. */
  async #afterError(error: unknown): Promise<void> {
    if (!isNotBelieved(error)) return;
    const { url } = this.node.client;
    this.log.error({ node: url }, (error as WalletError).message);
    if (!this.#nodes.next()) return;
    this.node.forgetNode();
    this.scanner.startOver();
    this.#follower.listenAnew();
    await this.incoming.watchAnew();
    this.log.warn({ node: this.node.client.url }, 'another node is asked');
  }

  async #afterCatchUp(): Promise<void> {
    endRecovery(this.state);
    this.#tellOutdated();
    const height = this.scanner.indexedHeight;
    this.incoming.forgetDecided(height);
    await this.#resender.resendDue(height);
    await this.#automatic.performDue(height);
    this.#auditFile?.sync();
  }
}

function isNotBelieved(error: unknown): boolean {
  return error instanceof WalletError && error.kind === 'node_not_believed';
}

function nodesOf(options: WalletOptions, closing: AbortSignal): Nodes {
  const { identity, otherServices = [], requestTimeoutMillis: timeoutMillis, service } = options;
  const own = {
    timeoutMillis,
    fetch: (target: RequestInfo | URL, { signal, ...init }: RequestInit = {}) =>
      fetch(target, { ...init, signal: signal ? AbortSignal.any([signal, closing]) : closing }),
  };
  const others = otherServices.map((url) => nodeClient({ url, ...own }));
  return new Nodes([nodeClient({ url: service, identity, ...own }), ...others]);
}
