/**
 * Limits the connections of an HTTP server. A connection is busy from the last byte of a
 * request to the end of its answer, or for good once it became a socket; any other one waits: for a request, or for
 * the rest of one. When all slots are taken, a newcomer gets that of the connection that has waited longest among
 * those of the client with the most, so waiting costs no other client a slot. A connection without a slot is ended before
 * the server has made anything for it. It ends no busy connection, and it counts no requests: budgets do that.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimitOptions {
  readonly places: number;
  /** A client has at most so many slots, unless it is excepted. */
  readonly placesPerClient: number;
  /** The name under which an address counts; by default the address itself. */
  readonly clientOf?: (address: string) => string;
  /** Proxies speak for many clients and may take every slot. */
  readonly isExcepted?: (address: string) => boolean;
  /** Called first for each connection of an address that is not excepted; by default every client may connect. */
  readonly mayConnect?: (client: string) => boolean;
}

/** The waiting connections of a client are in the order in which they began to wait. */
interface Client {
  readonly name: string;
  readonly waiting: Set<Connection>;
  busy: number;
}

interface Connection {
  readonly socket: Socket;
  readonly client: Client;
  /** Requests that have not got their whole answer; more than one where a client sends ahead. */
  requests: number;
}

export class ConnectionLimit {
  readonly #options: ConnectionLimitOptions;
  readonly #clients = new Map<string, Client>();
  readonly #connections = new Map<Socket, Connection>();

  constructor(options: ConnectionLimitOptions) {
    this.#options = options;
  }

  /** How many connections have a slot. */
  get count(): number {
    return this.#connections.size;
  }

  /** Admits the later connections of the server; nothing else may limit their number. */
  watch(server: Server): void {
    const serve = server.listeners('connection') as ((socket: Socket) => void)[];
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (!this.#hasArrived(socket)) socket.destroy();
      else for (const listener of serve) listener.call(server, socket);
    });
    server.on('request', (request, response) => this.#follow(request, response));
    server.on('upgrade', ({ socket }) => this.#occupy(socket));
  }

  /** Ends every waiting connection of a client. */
  endWaiting(client: string): void {
    const found = this.#clients.get(client);
    while (this.#endLongestWaiting(found));
  }

  /** Gives the connection a slot, if one is free. */
  #hasArrived(socket: Socket): boolean {
    const { clientOf, isExcepted, mayConnect } = this.#options;
    const address = socket.remoteAddress ?? '';
    const name = clientOf?.(address) ?? address;
    const excepted = isExcepted?.(address) === true;
    if (!excepted && mayConnect?.(name) === false) return false;
    const client = this.#clients.get(name) ?? { name, waiting: new Set(), busy: 0 };
    if (!this.#makeRoom(client, excepted)) return false;
    const connection: Connection = { socket, client, requests: 0 };
    this.#clients.set(name, client);
    this.#connections.set(socket, connection);
    client.waiting.add(connection);
    socket.once('close', () => this.#leave(connection));
    return true;
  }

  #makeRoom(client: Client, excepted: boolean): boolean {
    const { places, placesPerClient } = this.#options;
    const hasItsShare = sizeOf(client) >= placesPerClient && !excepted;
    if (hasItsShare) return this.#endLongestWaiting(client);
    return this.count < places || this.#endLongestWaiting(this.#largest());
  }

  /** The client with the most connections, among those with one that waits. */
  #largest(): Client | undefined {
    let largest: Client | undefined;
    for (const client of this.#clients.values()) {
      if (client.waiting.size === 0) continue;
      if (largest === undefined || sizeOf(client) > sizeOf(largest)) largest = client;
    }
    return largest;
  }

  #endLongestWaiting(client: Client | undefined): boolean {
    const [connection] = client?.waiting ?? [];
    if (connection === undefined) return false;
    this.#leave(connection);
    connection.socket.destroy();
    return true;
  }

  /** Every request passes here, so a complete one allocates no function. */
  #follow(request: IncomingMessage, response: ServerResponse): void {
    if (request.complete || !announcesBody(request)) {
      this.#occupy(request.socket);
      response.on('close', this.#onAnswered);
    } else {
      this.#followBody(request, response);
    }
  }

  /** The listener of the end of most answers, the same for all of them; Node calls it on the answer. */
  readonly #onAnswered = ((places: ConnectionLimit) =>
    function (this: ServerResponse): void {
      places.#finish(this.req.socket);
    })(this);

  #followBody(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    let isOccupied = false;
    const occupy = (): void => {
      isOccupied = true;
      this.#occupy(socket);
    };
    request.once('end', occupy);
    response.once('close', () => {
      request.off('end', occupy);
      if (isOccupied) this.#finish(socket);
    });
  }

  #occupy(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined || connection.requests++ > 0) return;
    connection.client.waiting.delete(connection);
    connection.client.busy++;
  }

  #finish(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined || --connection.requests > 0) return;
    connection.client.busy--;
    connection.client.waiting.add(connection);
  }

  /** Frees the slot of a connection, once. */
  #leave(connection: Connection): void {
    if (!this.#connections.delete(connection.socket)) return;
    const { client } = connection;
    if (!client.waiting.delete(connection)) client.busy--;
    if (sizeOf(client) === 0) this.#clients.delete(client.name);
  }
}

function announcesBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'] ?? '0';
  return length !== '0' || headers['transfer-encoding'] !== undefined;
}

function sizeOf({ waiting, busy }: Client): number {
  return waiting.size + busy;
}
