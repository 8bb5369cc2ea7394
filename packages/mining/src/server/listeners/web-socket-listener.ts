/**
 * The listener for web pages: `svc-mining-v1` over WebSocket, one line a text message. It is plain, so pages served
 * over HTTPS need a proxy with TLS in front. A page is served only from an origin that the operator admitted; programs
 * send no origin and are served.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Bind } from 'svc-base/node';
import { type Listening, listenAt } from 'svc-base/node';
import { MESSAGE_BYTES_MAX } from 'svc-mining';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Accept } from '../transport.ts';

export interface WebSocketOptions {
  readonly bind: Bind;
  /** Such as `https://example.org`; `*` admits every page. */
  readonly origins: readonly string[];
}

const TIMEOUT_MILLIS = 10_000;
const LINE_FEED = 0x0a;
const TEXT_ONLY = 1003;
const PLAIN_ANSWER = 'this listener speaks svc-mining-v1 over WebSocket\n';

export async function listenWebSocket(
  { bind, origins }: WebSocketOptions,
  accept: Accept,
): Promise<Listening> {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has('svc-mining-v1') ? 'svc-mining-v1' : false),
  });
  const server = createServer(
    { requestTimeout: TIMEOUT_MILLIS, headersTimeout: TIMEOUT_MILLIS, maxHeaderSize: 8_192 },
    (_, response) => response.writeHead(426, { 'content-type': 'text/plain' }).end(PLAIN_ANSWER),
  );
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const { origin } = request.headers;
    if (origin !== undefined && !origins.includes(origin) && !origins.includes('*')) {
      socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) =>
      attach(client, request.socket.remoteAddress, accept),
    );
  });
  return await listenAt(server, bind, () => {
    for (const client of sockets.clients) client.terminate();
  });
}

function attach(socket: WebSocket, remoteAddress: string | undefined, accept: Accept): void {
  socket.on('error', () => socket.terminate());
  const events = accept({
    kind: 'ws',
    remoteAddress,
    get unsent() {
      return socket.bufferedAmount;
    },
    send: (bytes) => {
      // A line without its line feed; pages get text, not bytes.
      if (socket.readyState === socket.OPEN)
        socket.send(Buffer.from(bytes.subarray(0, -1)).toString('utf8'));
    },
    close: (isAbrupt) => {
      if (isAbrupt) socket.terminate();
      else socket.close();
    },
  });
  if (events === undefined) {
    socket.terminate();
    return;
  }
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) return socket.close(TEXT_ONLY);
    return events.receive(Buffer.concat([data, Buffer.of(LINE_FEED)]));
  });
  socket.on('close', () => events.closed());
}
