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

export interface RequestTurnsPorts {
  begin(request: IncomingMessage, response: ServerResponse): void;
  /** Called when more requests have come than may wait, before any of them is begun. */
  onTooMany(request: IncomingMessage): void;
  /** Answers the first request beyond those that may wait, and closes its connection; further ones are dropped. */
  refuse(request: IncomingMessage, response: ServerResponse): void;
}

export class RequestTurns {
  readonly #ports: RequestTurnsPorts;
  /** The requests that were sent ahead, for each connection that has one unanswered. */
  readonly #lines = new WeakMap<Socket, Waiting[]>();

  constructor(ports: RequestTurnsPorts) {
    this.#ports = ports;
  }

  /** Begins the request now if no earlier one of its connection is unanswered, and otherwise when its turn has come. */
  wait(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const line = this.#lines.get(socket);
    if (line === undefined) {
      this.#lines.set(socket, []);
      this.#begin({ request, response, isTooMany: false });
    } else if (line.length <= REQUESTS_AHEAD_MAX) {
      const isTooMany = line.length === REQUESTS_AHEAD_MAX;
      line.push({ request, response, isTooMany });
      if (isTooMany) this.#ports.onTooMany(request);
    }
  }

  #begin({ request, response, isTooMany }: Waiting): void {
    response.once('close', () => this.#goOn(request.socket));
    if (isTooMany) this.#ports.refuse(request, response);
    else this.#ports.begin(request, response);
  }

  #goOn(socket: Socket): void {
    const line = this.#lines.get(socket);
    if (line === undefined || line.length === 0) {
      this.#lines.delete(socket);
      return;
    }
    setImmediate(() => {
      const next = line.shift();
      if (next === undefined || !socket.writable) this.#lines.delete(socket);
      else this.#begin(next);
    });
  }
}
