/**
 * Lets the requests of a connection be answered one at a time. A client may send some ahead; the next one is begun after
 * the answer to the one before has gone and all other connections have had their turn. Requests of a connection that ends
 * are dropped. It answers nothing itself, and it counts no rates: budgets do that.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of a connection that may wait for the answer to an earlier one. */
export const REQUESTS_AHEAD_MAX = 100;

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly isTooMany: boolean;
}

export interface PipelineQueuePorts {
  begin(request: IncomingMessage, response: ServerResponse): void;
  /** Called as soon as one request more has come than may wait; those that wait are begun in their turn unless it ends the connection. */
  onTooMany(request: IncomingMessage): void;
  /** Answers the first request beyond those that may wait, and closes its connection; further ones are dropped. */
  refuse(request: IncomingMessage, response: ServerResponse): void;
}

/** What a connection has under way. It is made once, since every request comes by here. */
interface Line {
  isBusy: boolean;
  /** The requests that were sent ahead. */
  readonly waiting: Waiting[];
}

export class PipelineQueue {
  readonly #ports: PipelineQueuePorts;
  readonly #lines = new WeakMap<Socket, Line>();

  constructor(ports: PipelineQueuePorts) {
    this.#ports = ports;
  }

  /** Begins the request now if no earlier one of its connection is unanswered, and otherwise when its turn has come. */
  wait(request: IncomingMessage, response: ServerResponse): void {
    const line = this.#lineOf(request.socket);
    if (!line.isBusy) {
      line.isBusy = true;
      this.#begin({ request, response, isTooMany: false });
    } else if (line.waiting.length <= REQUESTS_AHEAD_MAX) {
      const isTooMany = line.waiting.length === REQUESTS_AHEAD_MAX;
      line.waiting.push({ request, response, isTooMany });
      if (isTooMany) this.#ports.onTooMany(request);
    }
  }

  #lineOf(socket: Socket): Line {
    const known = this.#lines.get(socket);
    if (known !== undefined) return known;
    const line = { isBusy: false, waiting: [] };
    this.#lines.set(socket, line);
    return line;
  }

  #begin({ request, response, isTooMany }: Waiting): void {
    response.on('close', () => this.#beginNext(request.socket));
    if (isTooMany) this.#ports.refuse(request, response);
    else this.#ports.begin(request, response);
  }

  #beginNext(socket: Socket): void {
    const line = this.#lineOf(socket);
    if (line.waiting.length === 0) {
      line.isBusy = false;
      return;
    }
    setImmediate(() => {
      const next = line.waiting.shift();
      if (next === undefined || !socket.writable) {
        line.waiting.length = 0;
        line.isBusy = false;
        return;
      }
      this.#begin(next);
    });
  }
}
