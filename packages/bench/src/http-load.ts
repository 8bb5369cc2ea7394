/**
 * Load for an HTTP server: keep-alive connections that each send the next request when an answer has come. The
 * answers are counted and their length checked, nothing more.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Load {
  readonly port: number;
  /** Whole requests, taken in turn. */
  readonly requests: readonly Buffer[];
  readonly connections: number;
  /** How many of them to send. */
  readonly count: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** Resolves when every request has been answered. */
export async function runLoad({ port, requests, connections, count }: Load): Promise<void> {
  let next = 0;
  const take = (): Buffer => requests[next++ % requests.length] as Buffer;
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const ended = sockets.map((socket) => {
    let waiting: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
      const length = answerLength(waiting);
      if (length === undefined || waiting.length < length) return;
      if (waiting.length > length) throw new Error('more came than one answer');
      waiting = Buffer.alloc(0);
      if (next < count) socket.write(take());
      else socket.end();
    });
    socket.write(take());
    return once(socket, 'close');
  });
  await Promise.all(ended);
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  return socket;
}

/** The length of the first answer with its head; undefined while the head is not all there. */
function answerLength(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) return undefined;
  const head = bytes.toString('latin1', 0, end);
  if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(head);
  const at = head.indexOf('content-length: ');
  if (at === -1) throw new Error(`no length in ${head}`);
  return end + HEAD_END.length + Number.parseInt(head.slice(at + 16), 10);
}
