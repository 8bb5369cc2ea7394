/**
 * Every topic of `/v1/ws`, fed by the signals of the node.
 */
import type { TopicName } from 'svc-api';
import type { Addresses } from '../../documents/addresses.ts';
import { cutEvent } from '../../documents/cuts.ts';
import { blockAccepted, pendingTransaction } from '../../documents/transactions.ts';
import type { FinalizedCut, PooledTransaction, RemovedTransaction } from '../../ports.ts';
import { Refused } from '../../refusal/refused.ts';
import type { Fanout } from '../fanout/fanout.ts';
import type { SocketPorts } from '../ports.ts';
import type { StatusWatch } from '../status/status-watch.ts';
import { AddressTopic } from './address-topic.ts';
import { BroadcastTopic, DocumentTopic, type Topic, TransactionTopic } from './topic.ts';

export interface TopicsPorts {
  readonly sockets: SocketPorts;
  readonly fanout: Fanout;
  readonly addresses: Addresses;
  readonly watch: StatusWatch;
  /** Whether the topic `mempool_transactions` is offered. */
  readonly mempoolTransactions: boolean;
}

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
