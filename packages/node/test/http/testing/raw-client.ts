/**
 * Sends bytes as they are and gives back all that comes until the connection ends.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connectionEnd, dataOrEnd } from 'svc-base/testing';

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

export class RawClient {
  readonly socket: Socket;
  #text = '';

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.#text += text;
    });
    socket.on('error', () => {});
  }

  static async open(port: number, from = '127.0.0.1'): Promise<RawClient> {
    const socket = connect({ host: '127.0.0.1', port, localAddress: from });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  write(bytes: string | Uint8Array): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** All that was received until the server closed the connection, or reset it, as it does with what it has not read. */
  async untilClosed(): Promise<string> {
    await connectionEnd(this.socket);
    return this.#text;
  }

  /** Waits until the text matches. */
  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.#text)) {
      if (this.socket.closed) throw new Error(`closed after: ${this.#text}`);
      await dataOrEnd(this.socket);
    }
    return this.#text;
  }
}

/** Sends one request and reads the first answer; the request should ask to close. */
export async function rawExchange(port: number, request: string | Uint8Array): Promise<RawAnswer> {
  const client = await RawClient.open(port);
  client.write(request);
  return readAnswer(await client.untilClosed());
}

export function readAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const head = text.slice(0, end);
  const status = Number(/^HTTP\/1\.1 ([0-9]{3}) /.exec(head)?.[1]);
  return { status, head, body: text.slice(end + 4) };
}
