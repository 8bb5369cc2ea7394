/**
 * The topic `addresses`. An index finds the subscriptions of an address, so an event costs what it touches
 * and not how many watch.
 */
import type { TopicEvent } from 'svc-api';
import type { Log } from 'svc-base/pure';
import type { HistoryEntry } from 'svc-ledger';
import { type Balance, PAGE_LIMITS } from 'svc-storage';
import type { Addresses } from '../../documents/addresses.ts';
import { addressChanged, pendingTransaction } from '../../documents/transactions.ts';
import type { Chain, FinalizedCut, PooledTransaction, RemovedTransaction } from '../../ports.ts';
import type { Fanout } from '../fanout/fanout.ts';
import { SharedEvent, type Subscription } from '../fanout/subscription.ts';
import type { Topic, TopicRequest } from './topic.ts';

/** The most cuts whose balances are being read; beyond it subscribers are told to resync. */
const CUTS_UNDER_WAY_MAX = 64;

export interface AddressTopicPorts {
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

export class AddressTopic implements Topic {
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
