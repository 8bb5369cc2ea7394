/**
 * Connections on which calls are posted one after the other, with as little work for each as there can be: callers share
 * the processors with what they measure. It knows the one form of answer that daemons of this project give, a head that
 * tells the length of its body, and refuses any other.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

/** Called with the body of an answer, or with nothing where the connection ended before. */
type Answered = (body: string | undefined) => void;

interface Connection {
  readonly socket: Socket;
  received: string;
  answered: Answered | undefined;
}

export class RpcConnections {
  readonly #url: URL;
  readonly #head: string;
  readonly #free: Connection[] = [];
  readonly #open = new Set<Socket>();

  constructor(url: URL, token: string) {
    this.#url = url;
    const headers = [
      `POST ${url.pathname} HTTP/1.1`,
      `host: ${url.host}`,
      'content-type: application/json',
      `authorization: Bearer ${token}`,
    ];
    this.#head = headers.join('\r\n');
  }

  /** Posts a text of ASCII characters; undefined where the connection ended without an answer. */
  async post(body: string): Promise<string | undefined> {
    const connection = this.#free.pop() ?? (await this.#connect());
    return await new Promise((resolve) => {
      connection.answered = resolve;
      connection.socket.write(`${this.#head}\r\ncontent-length: ${body.length}${HEAD_END}${body}`);
    });
  }

  close(): void {
    for (const socket of this.#open) socket.destroy();
  }

  async #connect(): Promise<Connection> {
    const { hostname, port } = this.#url;
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    socket.setEncoding('latin1');
    const connection: Connection = { socket, received: '', answered: undefined };
    this.#open.add(socket);
    socket.on('data', (some: string) => this.#receive(connection, some));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#end(connection));
    return connection;
  }

  #receive(connection: Connection, some: string): void {
    connection.received += some;
    const { answered, received } = connection;
    const headEnd = received.indexOf(HEAD_END);
    if (headEnd === -1) return;
    const length = LENGTH.exec(received.slice(0, headEnd + 2))?.[1];
    if (length === undefined) throw new Error(`no length in ${received.slice(0, headEnd)}`);
    const bodyAt = headEnd + HEAD_END.length;
    if (received.length < bodyAt + Number(length)) return;
    connection.received = '';
    connection.answered = undefined;
    this.#free.push(connection);
    answered?.(received.slice(bodyAt));
  }

  #end(connection: Connection): void {
    this.#open.delete(connection.socket);
    const at = this.#free.indexOf(connection);
    if (at !== -1) this.#free.splice(at, 1);
    connection.answered?.(undefined);
  }
}
