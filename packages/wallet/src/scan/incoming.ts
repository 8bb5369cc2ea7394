/**
 * Payments that wait in the node's mempool. They are shown and reported, and are never part of a balance. Addresses that were
 * given out, and some that come next, are watched by name; a wallet that gave out many hears of every waiting transaction and
 * picks its own. Change is not a payment to the wallet, so addresses for change are not watched.
 */
import {
  ADDRESSES_PER_SUBSCRIPTION_MAX,
  type PendingTransaction,
  SOCKET_LIMITS,
  type TopicEvent,
} from 'svc-api';
import type { WaitingPayment } from 'svc-api/rpc';
import type { Clock, Log } from 'svc-base/pure';
import { type ApiSocket, type Client, ClientError } from 'svc-client';
import { formatAmount } from 'svc-wasm';
import type { AddressBook } from '../keys/address-book.ts';
import type { EventTeller } from '../state/group-commit.ts';
import type { State } from '../state/open-state.ts';

/** Addresses that may be given out before the next cut, and are watched before they are. */
const AHEAD_MIN = 16;
/** More waiting payments than this are not listed one by one. */
const PENDING_MAX = 10_000;

export type PendingPayment = WaitingPayment & { readonly atoms: bigint };

type WatchingSocket = Pick<ApiSocket, 'subscribe' | 'close'>;

export interface IncomingPorts {
  readonly client: Pick<Client, 'mempoolPending'> & { openSocket(): WatchingSocket };
  readonly book: AddressBook;
  readonly state: State;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: Pick<EventTeller, 'record'>;
}

export class Incoming {
  readonly #ports: IncomingPorts;
  readonly #pending = new Map<string, PendingPayment[]>();
  #socket: WatchingSocket | undefined;
  /** So many receiving addresses are watched by name, from the first on. */
  #watched = 0;
  readonly #unwatch: (() => void)[] = [];
  #watchesAll = false;

  constructor(ports: IncomingPorts) {
    this.#ports = ports;
  }

  list(): PendingPayment[] {
    return [...this.#pending.values()].flat();
  }

  start(): void {
    this.#socket = this.#ports.client.openSocket();
  }

  async close(): Promise<void> {
    await this.#socket?.close();
    this.#socket = undefined;
  }

  /** Watches at the node that is used now. */
  async watchAnew(): Promise<void> {
    if (this.#socket === undefined) return;
    await this.close();
    this.#unwatch.length = 0;
    this.#watched = 0;
    this.#watchesAll = false;
    this.start();
  }

  /** Forgets what a finalized cut decided, and watches addresses that were derived since. */
  forgetDecided(height: number): void {
    for (const id of this.#pending.keys()) {
      if (this.#ports.state.outputs.ofTransaction(id).length > 0) this.#pending.delete(id);
    }
    if (height > 0) this.#watch();
  }

  #watch(): void {
    const socket = this.#socket;
    if (socket === undefined || this.#watchesAll) return;
    const { addresses } = this.#ports.state;
    const { subscriptions, watchedAddresses } = SOCKET_LIMITS.node;
    const derived = addresses.derived(0);
    while (this.#watched < Math.min(derived, addresses.next(0) + AHEAD_MIN)) {
      const end = Math.min(derived, this.#watched + ADDRESSES_PER_SUBSCRIPTION_MAX);
      if (end > watchedAddresses || this.#unwatch.length === subscriptions) {
        this.#watchAll(socket);
        return;
      }
      this.#watchNamed(socket, addresses.texts(0, this.#watched, end));
      this.#watched = end;
    }
  }

  /** For a wallet that has given out more addresses than one connection may name. */
  #watchAll(socket: WatchingSocket): void {
    this.#watchesAll = true;
    for (const unwatch of this.#unwatch.splice(0)) unwatch();
    socket.subscribe(
      { topic: 'mempool_transactions' },
      {
        onEvent: (event) => this.#receiveEvent(event),
        onRefused: (code) => this.#warnRefused(code),
      },
    );
  }

  #watchNamed(socket: WatchingSocket, addresses: readonly string[]): void {
    const unwatch = socket.subscribe(
      { topic: 'addresses', addresses: [...addresses] },
      {
        onEvent: (event) => this.#receiveEvent(event),
        onResync: () => void this.#readPending(addresses),
        onRefused: (code) => this.#warnRefused(code),
      },
    );
    this.#unwatch.push(unwatch);
  }

  #warnRefused(code: string): void {
    this.#ports.log.warn({ code }, 'the node does not tell of waiting payments');
  }

  /**
   * Reads the payments that wait in the mempool. The socket replays nothing, so this follows each subscription.
   */
  async #readPending(addresses: readonly string[]): Promise<void> {
    try {
      const answer = await this.#ports.client.mempoolPending({ addresses: [...addresses] });
      for (const transaction of answer.transactions) this.#addPending(transaction);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
    }
  }

  #receiveEvent(event: TopicEvent): void {
    if (event.type === 'mempool_tx_seen' || event.type === 'mempool_transaction') {
      this.#addPending(event.data);
    }
    if (event.type === 'mempool_tx_removed' || event.type === 'mempool_transaction_removed') {
      this.#dropPending(event.data.transaction_id, event.data.reason);
    }
  }

  #addPending(transaction: PendingTransaction): void {
    const { book, state } = this.#ports;
    const id = transaction.transaction_id;
    if (this.#pending.has(id) || this.#pending.size >= PENDING_MAX) return;
    const payments = transaction.received.flatMap(({ address, amount, output_index }) => {
      const addressId = book.idOf(address);
      // Change of the wallet's own payments is not a payment to it, and is what most of these are.
      if (addressId === undefined || state.addresses.spending(addressId).branch !== 0) return [];
      const own = state.addresses.find(address);
      if (own === undefined) return [];
      return [
        {
          transaction: id,
          output: output_index,
          address,
          label: own.label,
          amount: formatAmount(amount),
          atoms: BigInt(amount),
          first_seen_millis: transaction.first_seen_millis,
        },
      ];
    });
    if (payments.length === 0 || state.outputs.ofTransaction(id).length > 0) return;
    this.#pending.set(id, payments);
    this.#ports.events.record('unconfirmed', { transaction: id, payments: payments.map(shown) });
  }

  #dropPending(id: string, reason: string): void {
    const payments = this.#pending.get(id);
    if (payments === undefined || reason === 'finalized') return;
    this.#pending.delete(id);
    this.#ports.events.record('removed', {
      transaction: id,
      reason,
      payments: payments.map(shown),
    });
  }
}

function shown({ atoms: _, ...payment }: PendingPayment): WaitingPayment {
  return payment;
}
