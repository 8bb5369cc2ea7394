/**
 * The queue of payments. Payments that are pending at the same time are carried out together: each is decided beside the
 * reservations of those before it, all are signed, and all are recorded in one transaction, in their order. No other work
 * of the wallet decides anything meanwhile. A payment that cannot be made beside the others, or whose coins were spent
 * meanwhile, is decided again in the next turn, where it comes first: its answer never depends on payments that are not
 * recorded.
 */
import type { Clock } from 'svc-base/pure';
import { WalletError } from '../errors.ts';
import type { Keychain } from '../keys/keychain.ts';
import type { Signing } from '../keys/signer.ts';
import type { NodeLink } from '../node/node-link.ts';
import type { History } from '../scan/history.ts';
import type { Incoming } from '../scan/incoming.ts';
import type { Scanner } from '../scan/scanner.ts';
import type { State } from '../state/open-state.ts';
import { expectNotOutdated, isRestoring } from '../state/readings.ts';
import type { Float } from './float.ts';
import { PaymentBuilder, Reservations } from './payment-builder.ts';

/** What the queue needs of the builder of a payment. */
export type QueuedBuilder = Pick<PaymentBuilder, 'areCoinsFree' | 'finish'>;

interface QueuedPayment<Builder, Made, Done> {
  /** Decides the payment; its bytes are complete when it is recorded. */
  make(builder: Builder): Promise<Made>;
  /** Records what was made. Change addresses that no payment before it issued are issued with it. */
  record(made: Made, changeAddresses: number): Done;
  /** Answers a payment that cannot be made, or throws its refusal. */
  refuse(error: unknown): Done;
}

interface QueuePorts<Builder> {
  waitAndDo(work: () => Promise<void>): Promise<void>;
  openBuilder(reservations: Reservations, signing: Signing | undefined): Promise<Builder>;
  beginSigning(payments: number): Signing;
  /** Does the work in one transaction, which is rolled back when the work throws. */
  atOnce<T>(work: () => T): T;
  /** Throws if the wallet may not pay any more. */
  expectMayPay(): void;
  busy(): Error;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Payments of one turn: as many as a JSON-RPC batch has calls. */
export const GROUP_MAX = 64;
/** Payments, and turns, that may be pending at the same time. */
export const WAITING_MAX = 256;
/** A payment that was pending for longer is refused as busy. */
export const WAIT_MILLIS_MAX = 5_000;
/** How often a payment is decided because its coins were spent while it was signed. */
const TRIES_MAX = 3;

interface Pending<Builder> {
  readonly work: QueuedPayment<Builder, unknown, unknown>;
  readonly done: PromiseWithResolvers<unknown>;
  /** When the payment came (monotonic). */
  readonly sinceMillis: number;
  tries: number;
}

interface Decided<Builder> {
  readonly pending: Pending<Builder>;
  readonly builder: Builder;
  readonly made: unknown;
  /** Change addresses that it and those before it use. */
  readonly changeAddresses: number;
}

export class PaymentQueue<Builder extends QueuedBuilder> {
  readonly #ports: QueuePorts<Builder>;
  readonly #pending: Pending<Builder>[] = [];
  #hasTurn = false;

  constructor(ports: QueuePorts<Builder>) {
    this.#ports = ports;
  }

  /** Carries out a payment, together with those that are pending at the same time. */
  join<Made, Done>(work: QueuedPayment<Builder, Made, Done>): Promise<Done> {
    if (this.#pending.length >= WAITING_MAX) return Promise.reject(this.#ports.busy());
    const done = Promise.withResolvers<unknown>();
    this.#pending.push({ work, done, sinceMillis: this.#ports.clock.monotonic(), tries: 0 });
    this.#takeTurn();
    return done.promise as Promise<Done>;
  }

  #takeTurn(): void {
    if (this.#hasTurn || this.#pending.length === 0) return;
    this.#hasTurn = true;
    this.#ports
      .waitAndDo(() => this.#carryOutSome())
      .catch((error: unknown) => {
        for (const { done } of this.#pending.splice(0)) done.reject(error);
      })
      .finally(() => {
        this.#hasTurn = false;
        this.#takeTurn();
      });
  }

  async #carryOutSome(): Promise<void> {
    // Calls that the process reads at this moment come along.
    await new Promise((resolve) => setImmediate(resolve));
    this.#refuseLate();
    const group = this.#pending.splice(0, GROUP_MAX);
    const again: Pending<Builder>[] = [];
    try {
      const decided = await this.#decide(group, again);
      this.#recordAll(decided.filter((each) => this.#mayRecord(each, again) && isFinished(each)));
    } catch (error) {
      // Each is answered; a payment that was answered before is not touched by this.
      for (const { done } of group) done.reject(error);
      return;
    }
    this.#pending.unshift(...again);
  }

  /** Refuses payments that were pending for too long; the oldest is first in line. */
  #refuseLate(): void {
    const { busy, clock } = this.#ports;
    const latest = clock.monotonic() - WAIT_MILLIS_MAX;
    const inTime = this.#pending.findIndex(({ sinceMillis }) => sinceMillis >= latest);
    const late = this.#pending.splice(0, inTime === -1 ? this.#pending.length : inTime);
    for (const { done } of late) done.reject(busy());
  }

  /** Decides a group and waits for its signatures. A payment alone is signed when it is decided. */
  async #decide(
    group: readonly Pending<Builder>[],
    again: Pending<Builder>[],
  ): Promise<readonly Decided<Builder>[]> {
    const { beginSigning, openBuilder } = this.#ports;
    const reservations = new Reservations(group.length);
    const signing = group.length > 1 ? beginSigning(group.length) : undefined;
    const decided: Decided<Builder>[] = [];
    try {
      for (const pending of group) {
        const isFirst = reservations.transactions === 0;
        try {
          const builder = await openBuilder(reservations, signing);
          const made = await pending.work.make(builder);
          const { changeAddresses } = reservations;
          decided.push({ pending, builder, made, changeAddresses });
        } catch (error) {
          if (isFirst) settle(pending, () => pending.work.refuse(error));
          else again.push(pending);
        }
      }
    } finally {
      await signing?.done();
    }
    return decided;
  }

  /** Whether a decision still holds after the signatures: cuts may have been read meanwhile. */
  #mayRecord({ builder, pending }: Decided<Builder>, again: Pending<Builder>[]): boolean {
    const { busy, expectMayPay } = this.#ports;
    try {
      expectMayPay();
      if (builder.areCoinsFree) return true;
    } catch {
      // The next turn refuses the payment with the reason.
    }
    if (++pending.tries < TRIES_MAX) again.push(pending);
    else pending.done.reject(busy());
    return false;
  }

  /** Records payments in one transaction or, where one of them is refused at the end, each in its own. */
  #recordAll(ready: readonly Decided<Builder>[]): void {
    const results = ready.length > 1 ? this.#recordAtOnce(ready) : undefined;
    let issued = 0;
    for (const [at, decided] of ready.entries()) {
      const isRecorded = settle(decided.pending, () =>
        results === undefined ? record(decided, issued) : results[at],
      );
      if (isRecorded) issued = decided.changeAddresses;
    }
  }

  /** The answer to each payment; undefined if one cannot be recorded, and then none is. */
  #recordAtOnce(ready: readonly Decided<Builder>[]): readonly unknown[] | undefined {
    try {
      return this.#ports.atOnce(() =>
        ready.map((decided, at) => record(decided, ready[at - 1]?.changeAddresses ?? 0)),
      );
    } catch {
      // Recording each for itself shows which one it was.
      return undefined;
    }
  }
}

/** Completes a decided payment, once: recording may be tried twice. */
function isFinished<Builder extends QueuedBuilder>({
  builder,
  pending,
}: Decided<Builder>): boolean {
  try {
    builder.finish();
    return true;
  } catch (error) {
    pending.done.reject(error);
    return false;
  }
}

/** Records a decided payment, with the change addresses that are not issued yet. */
function record<Builder extends QueuedBuilder>(
  { changeAddresses, made, pending }: Decided<Builder>,
  issued: number,
): unknown {
  return pending.work.record(made, changeAddresses - issued);
}

/** Answers a payment with what the work returns or throws. Returns whether the work was done. */
function settle({ done }: Pick<Pending<unknown>, 'done'>, work: () => unknown): boolean {
  try {
    done.resolve(work());
    return true;
  } catch (error) {
    done.reject(error);
    return false;
  }
}

/** How long a transaction may wait to be executed; shorter where the chain says so. */
const VALIDITY_CUTS = 1_440;
/** A wallet this many cuts behind its node does not spend. */
const BEHIND_CUTS_MAX = 20;
/** Turns that may follow each other before other work of the process goes on; what they record is committed together. */
const TURNS_IN_A_ROW = 8;

interface PaymentTurnsPorts {
  readonly state: State;
  readonly keychain: Keychain;
  readonly node: NodeLink;
  readonly history: Pick<History, 'expectAgreement'>;
  readonly scanner: Pick<Scanner, 'hasReachedHead'>;
  readonly clock: Clock;
  /** The most that one transaction may pay in fees, in atoms. */
  readonly feeMax: bigint;
  /** The coins that the wallet keeps ready. */
  readonly float: Float | null;
  readonly incoming: Pick<Incoming, 'list'>;
}

export class PaymentTurns {
  readonly #ports: PaymentTurnsPorts;
  readonly #turns: Turns;
  readonly #queue: PaymentQueue<PaymentBuilder>;

  constructor(ports: PaymentTurnsPorts) {
    this.#ports = ports;
    this.#turns = new Turns(ports.clock);
    this.#queue = new PaymentQueue({
      waitAndDo: (work) => this.#turns.waitAndDo(work),
      openBuilder: (reservations, signing) => this.#openBuilder(false, reservations, signing),
      beginSigning: (payments) => ports.keychain.signer.begin(payments),
      atOnce: (work) => ports.state.database.lazily(work),
      expectMayPay: () => this.#expectMayPay(),
      busy,
      clock: ports.clock,
    });
  }

  /** Does work with a builder while no other request decides anything. The builder of a dry run signs nothing. */
  async withBuilder<T>(
    isDryRun: boolean,
    work: (builder: PaymentBuilder) => Promise<T>,
  ): Promise<T> {
    return await this.#turns.waitAndDo(async () => await work(await this.#openBuilder(isDryRun)));
  }

  /** Carries out a payment in one turn with the payments that are pending at the same time. */
  async enqueue<Made, Done>(work: QueuedPayment<PaymentBuilder, Made, Done>): Promise<Done> {
    return await this.#queue.join(work);
  }

  #expectMayPay(): void {
    const { history, node, state } = this.#ports;
    history.expectAgreement();
    expectHistoryRead(state, node);
  }

  async #openBuilder(
    isDryRun: boolean,
    reservations?: Reservations,
    signing?: Signing,
  ): Promise<PaymentBuilder> {
    const { feeMax, float, incoming, keychain, node, state } = this.#ports;
    this.#expectMayPay();
    const rules = await node.rules();
    await this.#expectCaughtUp();
    const from = node.height;
    const until = from + Math.min(VALIDITY_CUTS, rules.terms.validityCutsMax);
    const { client } = node;
    const window = { from, until };
    const money = { feeMax, float, incoming };
    const own = { ...(reservations === undefined ? {} : { reservations }), signing, isDryRun };
    return new PaymentBuilder({ state, keychain, client, rules, window, ...money, ...own });
  }

  async #expectCaughtUp(): Promise<void> {
    const { node, scanner, state } = this.#ports;
    const sync = await node.recentSync();
    if (!sync.synced) {
      throw new WalletError('node_not_synced', `the node is ${sync.behind_by} cuts behind`);
    }
    if (!scanner.hasReachedHead) {
      const message = 'the wallet has not read up to the head of the chain since it was started';
      throw new WalletError('node_not_synced', message);
    }
    const indexedHeight = state.meta.number('indexed_height', 0);
    const behind = node.height - indexedHeight;
    const isNodeBehind = sync.finalized_height + BEHIND_CUTS_MAX < indexedHeight;
    if (behind <= BEHIND_CUTS_MAX && !isNodeBehind) return;
    const message = `wallet and node are ${Math.abs(behind)} cuts apart`;
    throw new WalletError('node_not_synced', message);
  }
}

/**
 * Throws `rescanning` while the past of the wallet is being read, and `recovering` until a restored state has caught
 * up: the wallet does not know all it holds. Where the node is of another chain that never ends, and is said instead.
 */
export function expectHistoryRead(
  { meta }: Pick<State, 'meta'>,
  { wrongChain }: Pick<NodeLink, 'wrongChain'>,
): void {
  expectNotOutdated(meta);
  if (meta.get('recovering') !== undefined) {
    throw new WalletError('recovering', 'the state was restored from a backup', {
      hint: 'nothing is paid until the chain has been read; status tells how far it is',
    });
  }
  if (!isRestoring(meta)) return;
  if (wrongChain !== undefined) throw wrongChain;
  throw new WalletError('rescanning', 'the wallet reads its history', {
    hint: 'status tells how far it is',
  });
}

/** Lets one piece of work after the other go on, in the order in which they came. */
export class Turns {
  readonly #clock: Clock;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #taken = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async waitAndDo<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= WAITING_MAX) throw busy();
    const turn = this.#last;
    let release: () => void = () => {};
    this.#last = new Promise((resolve) => {
      release = resolve;
    });
    this.#waiting++;
    try {
      await this.#waitFor(turn);
      return await work();
    } finally {
      this.#waiting--;
      const isPause = ++this.#taken % TURNS_IN_A_ROW === 0;
      void turn.then(isPause ? () => setImmediate(release) : release);
    }
  }

  #waitFor(turn: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const forget = this.#clock.after(WAIT_MILLIS_MAX, () => reject(busy()));
      void turn.then(() => {
        forget();
        resolve();
      });
    });
  }
}

function busy(): WalletError {
  return new WalletError('wallet_busy', 'another operation holds the wallet');
}
