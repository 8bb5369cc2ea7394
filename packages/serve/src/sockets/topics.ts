/**
 * Every topic of `/v1/ws`, fed by the signals of the node.
 */
import type { SubscribeFrame, TopicEvent, TopicName } from 'svc-api';
import type { Clock, Log } from 'svc-base/pure';
import type { HistoryEntry } from 'svc-ledger';
import { type Balance, PAGE_LIMITS } from 'svc-storage';
import type { Addresses } from '../documents/addresses.ts';
import { cutEvent } from '../documents/cuts.ts';
import { addressChanged, blockAccepted, pendingTransaction } from '../documents/transactions.ts';
import type {
  Chain,
  FinalizedCut,
  PooledTransaction,
  RemovedTransaction,
  SocketPorts,
} from '../ports.ts';
import { Refused } from '../refusal.ts';
import { type Fanout, SharedEvent, type Subscription } from './fanout.ts';
import type { StatusWatch } from './status.ts';

/** Addresses are in hexadecimal. */
type TopicRequest = SubscribeFrame['data'];

interface Topic {
  /** Sends the subscription its events from now on. Returns a function that ends the subscription. */
  join(subscription: Subscription, request: TopicRequest): () => void;
}

/**
 * A topic whose every event goes to every subscription.
 */
class BroadcastTopic implements Topic {
  readonly #fanout: Fanout;
  readonly #subscriptions = new Set<Subscription>();

  constructor(fanout: Fanout) {
    this.#fanout = fanout;
  }

  join(subscription: Subscription): () => void {
    this.#subscriptions.add(subscription);
    return () => void this.#subscriptions.delete(subscription);
  }

  /** Sends an event to all subscriptions; it is made only if there are any. */
  publish(make: () => TopicEvent): void {
    if (this.#subscriptions.size === 0) return;
    const event = new SharedEvent(make());
    this.#fanout.publish(this.#subscriptions, (subscription) => subscription.deliver(event));
  }
}

const DOCUMENT_MILLIS = 1_000;

interface DocumentTopicOptions {
  readonly make: () => TopicEvent;
  readonly clock: Clock;
  readonly fanout: Fanout;
  /** Checks the document after every interval, because nothing announces its changes. */
  readonly polled: boolean;
}

/**
 * A topic that shows one document: as it is when a client subscribes, then whenever it has changed, but not
 * more often than once in an interval.
 */
class DocumentTopic implements Topic {
  readonly #options: DocumentTopicOptions;
  readonly #subscriptions = new Set<Subscription>();
  #text = '';
  #event: SharedEvent | undefined;
  #madeAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(options: DocumentTopicOptions) {
    this.#options = options;
  }

  join(subscription: Subscription): () => void {
    if (this.#event === undefined || (this.#subscriptions.size === 0 && this.#waitMillis() === 0)) {
      this.#make();
    }
    subscription.deliver(this.#event as SharedEvent);
    this.#subscriptions.add(subscription);
    this.touch();
    return () => {
      this.#subscriptions.delete(subscription);
      if (this.#subscriptions.size === 0) this.stop();
    };
  }

  /** Must be called when the document may have changed. */
  touch(): void {
    if (this.#subscriptions.size === 0 || this.#cancel !== undefined) return;
    this.#cancel = this.#options.clock.after(this.#waitMillis(), () => this.#publish());
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #waitMillis(): number {
    return Math.max(0, this.#madeAt + DOCUMENT_MILLIS - this.#options.clock.now());
  }

  #publish(): void {
    this.#cancel = undefined;
    const event = this.#make();
    if (event !== undefined) {
      const { fanout } = this.#options;
      fanout.publish(this.#subscriptions, (subscription) => subscription.deliver(event));
    }
    if (this.#options.polled) this.touch();
  }

  /** The event, if it differs from the one before. */
  #make(): SharedEvent | undefined {
    this.#madeAt = this.#options.clock.now();
    const event = this.#options.make();
    const text = JSON.stringify(event);
    if (text === this.#text) return undefined;
    this.#text = text;
    this.#event = new SharedEvent(event);
    return this.#event;
  }
}

/**
 * The topic `transaction`: the status of one transaction, as it is and whenever it changes.
 */
class TransactionTopic implements Topic {
  readonly #watch: StatusWatch;

  constructor(watch: StatusWatch) {
    this.#watch = watch;
  }

  join(subscription: Subscription, request: TopicRequest): () => void {
    if (request.topic !== 'transaction') throw new Error('not a request for this topic');
    return this.#watch.watch(request.transaction_id, (status) => {
      if (status === null) return;
      subscription.deliver(new SharedEvent({ type: 'transaction_status', data: status }));
    });
  }
}

/** The most cuts whose balances are being read; beyond it subscribers are told to resync. */
const CUTS_UNDER_WAY_MAX = 64;

interface AddressTopicPorts {
  readonly chain: Pick<Chain, 'reader'>;
  readonly addresses: Addresses;
  readonly fanout: Fanout;
  readonly log: Log;
}

interface Touched {
  readonly address: string;
  readonly entries: HistoryEntry[];
  readonly subscriptions: readonly Subscription[];
}

/**
 * The topic `addresses`. An index finds the subscriptions of an address, so an event costs what it touches
 * and not how many watch.
 */
class AddressTopic implements Topic {
  readonly #ports: AddressTopicPorts;
  readonly #index = new Map<string, Set<Subscription>>();
  #underWay = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(ports: AddressTopicPorts) {
    this.#ports = ports;
  }

  join(subscription: Subscription, request: TopicRequest): () => void {
    if (request.topic !== 'addresses') throw new Error('not a request for this topic');
    for (const address of request.addresses) {
      const subscriptions = this.#index.get(address) ?? new Set();
      this.#index.set(address, subscriptions.add(subscription));
    }
    return () => this.#leave(subscription, request.addresses);
  }

  #leave(subscription: Subscription, addresses: readonly string[]): void {
    for (const address of addresses) {
      const subscriptions = this.#index.get(address);
      subscriptions?.delete(subscription);
      if (subscriptions?.size === 0) this.#index.delete(address);
    }
  }

  seen(pooled: PooledTransaction): void {
    this.#publish(this.#watchersOf(pooled), () => ({
      type: 'mempool_tx_seen',
      data: pendingTransaction(pooled, this.#ports.addresses),
    }));
  }

  removed({ pooled, reason }: RemovedTransaction): void {
    this.#publish(this.#watchersOf(pooled), () => ({
      type: 'mempool_tx_removed',
      data: { ...pendingTransaction(pooled, this.#ports.addresses), reason },
    }));
  }

  finalized(cut: FinalizedCut): void {
    const touched = this.#touchedBy(cut);
    if (touched.length === 0) return;
    if (this.#underWay < CUTS_UNDER_WAY_MAX) this.#readAndTell(touched, cut.height);
    else lag(touched);
  }

  /** All reads begin in this turn, while the cut is the head; their results are published in the order of cuts. */
  #readAndTell(touched: readonly Touched[], height: number): void {
    this.#underWay++;
    const reading = this.#read(touched, height);
    this.#last = Promise.all([reading, this.#last])
      .then(([balances]) => this.#tell(touched, height, balances))
      .catch((error: unknown) => {
        this.#ports.log.error({ error: String(error) }, 'balances could not be read');
        lag(touched);
      })
      .finally(() => this.#underWay--);
  }

  async #read(touched: readonly Touched[], height: number): Promise<Balance[]> {
    const reader = this.#ports.chain.reader();
    if (reader.head.height !== height) throw new Error(`cut ${height} is not the head any more`);
    const pages: Promise<Balance[]>[] = [];
    for (let at = 0; at < touched.length; at += PAGE_LIMITS.addresses) {
      const page = touched.slice(at, at + PAGE_LIMITS.addresses);
      pages.push(reader.balances(page.map(({ address }) => address)));
    }
    const balances = await Promise.all(pages);
    await reader.close();
    return balances.flat();
  }

  #touchedBy(cut: FinalizedCut): Touched[] {
    const touched = new Map<string, Touched>();
    if (this.#index.size === 0) return [];
    for (const entry of cut.result.events.history) {
      const watching = this.#index.get(entry.address);
      if (watching === undefined) continue;
      const lines = touched.get(entry.address);
      if (lines !== undefined) lines.entries.push(entry);
      else {
        const { address } = entry;
        touched.set(address, { address, entries: [entry], subscriptions: [...watching] });
      }
    }
    return [...touched.values()];
  }

  #tell(touched: readonly Touched[], height: number, balances: readonly Balance[]): void {
    touched.forEach((lines, index) => {
      const balance = balances[index] ?? { amount: 0n, outputs: 0 };
      const data = addressChanged(lines, height, balance, this.#ports.addresses);
      this.#publish(lines.subscriptions, () => ({ type: 'address_changed', data }));
    });
  }

  #watchersOf({ spent, transaction }: PooledTransaction): Set<Subscription> {
    const watchers = new Set<Subscription>();
    if (this.#index.size === 0) return watchers;
    for (const { address } of [...spent, ...transaction.outputs]) {
      for (const subscription of this.#index.get(address) ?? []) watchers.add(subscription);
    }
    return watchers;
  }

  #publish(subscriptions: Iterable<Subscription>, make: () => TopicEvent): void {
    const targets = [...subscriptions];
    if (targets.length === 0) return;
    const event = new SharedEvent(make());
    this.#ports.fanout.publish(targets, (subscription) => subscription.deliver(event));
  }
}

function lag(touched: readonly Touched[]): void {
  for (const { subscriptions } of touched) {
    for (const subscription of subscriptions) subscription.resync('stream_lagged');
  }
}

interface TopicsPorts {
  readonly sockets: SocketPorts;
  readonly fanout: Fanout;
  readonly addresses: Addresses;
  readonly watch: StatusWatch;
  /** Whether the topic `mempool_transactions` is offered. */
  readonly mempoolTransactions: boolean;
}

/**
 * Every topic of `/v1/ws`, fed by the signals of the node.
 */
export class Topics {
  readonly #ports: TopicsPorts;
  readonly #cuts: BroadcastTopic;
  readonly #blocks: BroadcastTopic;
  readonly #mempoolTransactions: BroadcastTopic;
  readonly #mempool: DocumentTopic;
  readonly #rates: DocumentTopic;
  readonly #sync: DocumentTopic;
  readonly #addresses: AddressTopic;
  readonly #byName: Readonly<Record<TopicName, Topic | undefined>>;
  readonly #stops: (() => void)[];

  constructor(ports: TopicsPorts) {
    const { addresses, fanout, sockets, watch } = ports;
    const { services } = sockets;
    const { blocks, chain, log, mempool } = services;
    const document = { clock: sockets.clock, fanout, polled: false };
    this.#ports = ports;
    this.#cuts = new BroadcastTopic(fanout);
    this.#blocks = new BroadcastTopic(fanout);
    this.#mempoolTransactions = new BroadcastTopic(fanout);
    this.#mempool = new DocumentTopic({
      ...document,
      make: () => ({ type: 'mempool', data: sockets.mempoolDocument() }),
    });
    this.#rates = new DocumentTopic({
      ...document,
      make: () => ({ type: 'rates', data: services.rates.document() }),
    });
    this.#sync = new DocumentTopic({
      ...document,
      polled: true,
      make: () => ({ type: 'sync', data: services.sync() }),
    });
    this.#addresses = new AddressTopic({ chain, addresses, fanout, log });
    this.#byName = {
      cuts: this.#cuts,
      blocks: this.#blocks,
      mempool: this.#mempool,
      rates: this.#rates,
      sync: this.#sync,
      transaction: new TransactionTopic(watch),
      addresses: this.#addresses,
      mempool_transactions: ports.mempoolTransactions ? this.#mempoolTransactions : undefined,
    };
    this.#stops = [
      chain.finalized.on((cut) => this.#finalized(cut)),
      mempool.added.on((pooled) => this.#added(pooled)),
      mempool.removed.on((removed) => this.#removed(removed)),
      blocks.accepted.on((block) =>
        this.#blocks.publish(() => ({
          type: 'block_accepted',
          data: blockAccepted(block, addresses),
        })),
      ),
    ];
  }

  of(name: TopicName): Topic {
    const topic = this.#byName[name];
    if (topic !== undefined) return topic;
    throw new Refused('topic_not_offered', `this service does not offer ${name}`, {
      path: 'data.topic',
    });
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    for (const document of [this.#mempool, this.#rates, this.#sync]) document.stop();
  }

  #finalized(cut: FinalizedCut): void {
    this.#cuts.publish(() => ({ type: 'cut_finalized', data: cutEvent(cut) }));
    this.#addresses.finalized(cut);
    this.#mempool.touch();
    this.#rates.touch();
    this.#sync.touch();
  }

  #added(pooled: PooledTransaction): void {
    this.#mempool.touch();
    this.#addresses.seen(pooled);
    this.#mempoolTransactions.publish(() => ({
      type: 'mempool_transaction',
      data: pendingTransaction(pooled, this.#ports.addresses),
    }));
  }

  #removed(removed: RemovedTransaction): void {
    const { pooled, reason } = removed;
    this.#mempool.touch();
    this.#addresses.removed(removed);
    this.#mempoolTransactions.publish(() => ({
      type: 'mempool_transaction_removed',
      data: { ...pendingTransaction(pooled, this.#ports.addresses), reason },
    }));
  }
}
