/**
 * Requests that pay take turns. One request at a time decides what is spent, with a builder at the present height, once
 * wallet and node have caught up with the chain. A request that would wait too long is refused as busy.
 */
import type { Clock } from 'svc-base/pure';
import { WalletError } from '../base/wallet-error.ts';
import type { Keychain } from '../keys/keychain.ts';
import type { Signing } from '../keys/signer.ts';
import type { NodeLink } from '../node/node-link.ts';
import type { History } from '../scan/history.ts';
import type { Incoming } from '../scan/incoming.ts';
import type { Scanner } from '../scan/scanner.ts';
import type { State } from '../state/open-state.ts';
import { expectNotOutdated } from '../state/outdated.ts';
import { isRestoring } from '../state/readings.ts';
import type { Float } from './float.ts';
import { PaymentBuilder } from './payment-builder.ts';
import { PaymentQueue, type QueuedPayment, WAIT_MILLIS_MAX, WAITING_MAX } from './payment-queue.ts';
import type { Reservations } from './reservations.ts';

/** How long a transaction may wait to be executed; shorter where the chain says so. */
const VALIDITY_CUTS = 1_440;
/** A wallet this many cuts behind its node does not spend. */
const BEHIND_CUTS_MAX = 20;
/** Turns that may follow each other before other work of the process goes on; what they record is committed together. */
const TURNS_IN_A_ROW = 8;

export interface PaymentTurnsPorts {
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
 * up: the wallet does not know all it reservations. Where the node is of another chain that never ends, and is said instead.
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
  return new WalletError('wallet_busy', 'another operation reservations the wallet');
}
