/**
 * A real HTTP and WebSocket server whose answers a test writes, for what a sound node never does.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';

export interface ReceivedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or text as it is. */
  readonly body?: unknown;
  /** Closes the connection without an answer. */
  readonly lost?: true;
}

export interface ScriptedServer {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  readonly sockets: Set<WebSocket>;
}

export async function startServer(
  t: TestContext,
  answer: (request: ReceivedRequest) => ScriptedAnswer | Promise<ScriptedAnswer>,
  onSocket: (socket: WebSocket, target: string, count: number) => void = (socket) => socket.close(),
): Promise<ScriptedServer> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<WebSocket>();
  const server = createServer((request, response) => {
    void take(request, response);
  });
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const received = {
      method: request.method ?? '',
      target: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(parts).toString(),
    };
    requests.push(received);
    const { status = 200, headers = {}, body, lost } = await answer(received);
    if (lost === true) {
      request.socket.destroy();
      return;
    }
    const isText = typeof body === 'string';
    response.writeHead(status, {
      'content-type': isText ? 'text/plain' : 'application/json',
      ...headers,
    });
    response.end(isText ? body : JSON.stringify(body));
  }
  const upgrades = new WebSocketServer({
    server,
    handleProtocols: (offered) => [...offered][0] ?? false,
  });
  let count = 0;
  upgrades.on('connection', (socket, request) => {
    sockets.add(socket);
    onSocket(socket, request.url ?? '', ++count);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.terminate();
    upgrades.close();
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, sockets };
}
