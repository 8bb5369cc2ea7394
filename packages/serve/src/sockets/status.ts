/**
 * Statuses of transactions: one reader for all, and the stream of one client.
 */
import { isFinalStatus, type StatusServerFrame, type TransactionStatus } from 'svc-api';
import type { Log } from 'svc-base/pure';
import { readAtHead } from 'svc-storage';
import type { Chain, TransactionStatuses } from '../ports.ts';
import { CLOSE_CODES, type Connection, jsonFrame, ListeningHandler } from './connection.ts';

const BATCH = 256;

/** Null while this node knows nothing of the transaction. */
type StatusListener = (status: TransactionStatus | null) => void;

interface StatusPorts {
  readonly chain: Pick<Chain, 'reader'>;
  readonly statuses: TransactionStatuses;
  readonly log: Log;
}

/**
 * Follows the statuses of the transactions that clients watch. A listener gets the status when it
 * begins, and each one that differs from the one it was told before. Reads are made one batch after another,
 * so that a listener never sees an older status after a newer one.
 */
export class StatusWatch {
  readonly #sources: StatusPorts;
  /** The last status that each listener was told, by transaction. */
  readonly #told = new Map<string, Map<StatusListener, string | undefined>>();
  readonly #dirty = new Set<string>();
  readonly #stop: () => void;
  #reading = false;

  constructor(sources: StatusPorts) {
    this.#sources = sources;
    this.#stop = sources.statuses.changed.on((id) => this.#changed(id));
  }

  watch(id: string, listener: StatusListener): () => void {
    const listeners = this.#told.get(id) ?? new Map<StatusListener, string | undefined>();
    this.#told.set(id, listeners);
    listeners.set(listener, undefined);
    this.#changed(id);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#told.get(id) === listeners) this.#told.delete(id);
    };
  }

  stop(): void {
    this.#stop();
    this.#told.clear();
    this.#dirty.clear();
  }

  #changed(id: string): void {
    if (!this.#told.has(id)) return;
    this.#dirty.add(id);
    if (this.#reading) return;
    this.#reading = true;
    void this.#readAll();
  }

  async #readAll(): Promise<void> {
    await Promise.resolve();
    while (this.#dirty.size > 0) {
      const ids = [...this.#dirty.values().take(BATCH)];
      for (const id of ids) this.#dirty.delete(id);
      try {
        await this.#read(ids);
      } catch (error) {
        this.#sources.log.error({ error: String(error) }, 'statuses could not be read');
      }
    }
    this.#reading = false;
  }

  async #read(ids: readonly string[]): Promise<void> {
    const { chain, statuses } = this.#sources;
    const entries = await readAtHead(chain, (reader) => statuses.of(ids, reader));
    ids.forEach((id, index) => {
      const entry = entries[index] ?? null;
      this.#tell(id, entry === null ? null : { api_version: 1, ...entry });
    });
  }

  #tell(id: string, status: TransactionStatus | null): void {
    const text = JSON.stringify(status);
    for (const [listener, told] of [...(this.#told.get(id) ?? [])]) {
      if (told === text) continue;
      this.#told.get(id)?.set(listener, text);
      listener(status);
    }
  }
}

/**
 * One client of `/v1/transactions/{id}/status/stream`: the status as it is, then each new one, until it is
 * final.
 */
export class StatusStream extends ListeningHandler {
  readonly #connection: Connection;
  readonly #leave: () => void;
  #started = false;
  /** The newest status that was not sent because the client does not read. */
  #waiting: TransactionStatus | undefined;

  constructor(connection: Connection, watch: StatusWatch, transactionId: string) {
    super(connection);
    this.#connection = connection;
    this.#leave = watch.watch(transactionId, (status) => this.#tell(status));
  }

  override room(): void {
    if (this.#waiting !== undefined) this.#tell(this.#waiting);
  }

  override closed(): void {
    this.#leave();
  }

  #tell(status: TransactionStatus | null): void {
    if (status === null) this.#unknown();
    else if (this.#connection.ready) this.#show(status);
    else this.#waiting = status;
  }

  #show(status: TransactionStatus): void {
    this.#waiting = undefined;
    this.#send({ type: this.#started ? 'update' : 'snapshot', data: status });
    this.#started = true;
    if (!isFinalStatus(status)) return;
    this.#leave();
    this.#connection.finish(CLOSE_CODES.done, 'the status is final');
  }

  /** Tells that the transaction is unknown, unless the client was told a status before. */
  #unknown(): void {
    if (this.#started) return;
    const message = 'this node knows nothing of the transaction';
    this.#send({ type: 'error', data: { code: 'not_found', message } });
    this.#connection.finish(CLOSE_CODES.done, 'not found');
  }

  #send(frame: StatusServerFrame): void {
    this.#connection.reply(jsonFrame(frame));
  }
}
