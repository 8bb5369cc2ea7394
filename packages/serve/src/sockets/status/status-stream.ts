/**
 * One client of `/v1/transactions/{id}/status/stream`: the status as it is, then each new one, until it is
 * final.
 */
import { isFinalStatus, type StatusServerFrame, type TransactionStatus } from 'svc-api';
import { CLOSE_CODES, type Connection } from '../connection/connection.ts';
import { jsonFrame } from '../connection/frames.ts';
import { ListeningHandler } from '../connection/listening-handler.ts';
import type { StatusWatch } from './status-watch.ts';

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
