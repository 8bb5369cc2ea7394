/**
 * `fetch` as the client of the node uses it, over connections that are kept: the one of the platform costs several times
 * as much for each request. A read on a kept connection that the node has just closed is sent again on a new one.
 * It follows no redirect and knows no cache and no credentials. Connections without TLS are `PlainConnections` for as long
 * as the node answers in the form that those know.
 */
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { ROUTES, type Route } from 'svc-api';
import {
  ConnectionLost,
  isPlain,
  type PlainAnswer,
  PlainConnections,
  type PlainRequest,
  UnusualAnswer,
} from './plain-connections.ts';

const SUBMISSIONS: readonly Route[] = [ROUTES.transactionSubmit, ROUTES.transactionsSubmit];
/** Questions that are too long for a path change nothing, although they are posted. */
const POSTED_READS: readonly string[] = Object.values(ROUTES)
  .filter((route) => route.method === 'POST' && !SUBMISSIONS.includes(route))
  .map(({ path }) => path);
const CONNECTIONS_MAX = 64;
/** The client reads no longer answers either. */
const BODY_BYTES_MAX = 9 << 20;

export interface KeepAliveFetch {
  readonly fetch: typeof fetch;
  /** Ends what is under way; nothing is asked any more. */
  close(): void;
}

interface Sent extends PlainRequest {
  /** Sending it twice is as good as sending it once. */
  readonly isRead: boolean;
}

export function keepAliveFetch(): KeepAliveFetch {
  const options = { keepAlive: true, maxSockets: CONNECTIONS_MAX, noDelay: true };
  const agent = new Agent(options);
  const tlsAgent = new TlsAgent(options);
  const plain = new PlainNodes();
  const asked = new Set<ClientRequest>();
  let isClosed = false;
  const open = (url: URL, { headers, method, signal }: Sent): ClientRequest => {
    if (isClosed) throw new ConnectionsClosed();
    const given = { method, headers, ...(signal === undefined ? {} : { signal }) };
    const opened =
      url.protocol === 'https:'
        ? tlsRequest(url, { ...given, agent: tlsAgent })
        : request(url, { ...given, agent });
    asked.add(opened);
    return opened.once('close', () => asked.delete(opened));
  };
  return {
    fetch: async (target, init = {}) => {
      const { body, headers, method = 'GET', signal } = init;
      const url = new URL(target instanceof Request ? target.url : target);
      const sent: Sent = {
        method,
        isRead: method === 'GET' || POSTED_READS.some((path) => url.pathname.endsWith(path)),
        headers: (headers ?? {}) as Readonly<Record<string, string>>,
        body: body as PlainRequest['body'],
        signal: signal ?? undefined,
      };
      const answer = await plain.tryExchange(url, sent);
      if (answer !== undefined) return responseOf(answer);
      return await exchange(() => open(url, sent), sent);
    },
    close: () => {
      isClosed = true;
      plain.close();
      for (const each of asked) each.destroy();
      agent.destroy();
      tlsAgent.destroy();
    },
  };
}

class ConnectionsClosed extends Error {
  constructor() {
    super('the connections to the node were closed');
  }
}

/** Nodes without TLS, and which of them answer in the form that plain connections know. */
class PlainNodes {
  readonly #known = new Map<string, PlainConnections>();
  readonly #unusual = new Set<string>();
  #isClosed = false;

  /** The answer; undefined if the request has to go another way, and has changed nothing. */
  async tryExchange(url: URL, sent: Sent): Promise<PlainAnswer | undefined> {
    while (url.protocol === 'http:' && !this.#unusual.has(url.origin) && isPlain(sent)) {
      if (this.#isClosed) throw new ConnectionsClosed();
      const connections = this.#connectionsTo(url);
      if (!connections.hasRoom) return undefined;
      try {
        return await connections.ask(`${url.pathname}${url.search}`, sent);
      } catch (error) {
        if (error instanceof UnusualAnswer) this.#unusual.add(url.origin);
        const isStale = error instanceof ConnectionLost && error.wasUsed;
        const mayRepeat = sent.isRead && sent.signal?.aborted !== true;
        if (!mayRepeat || !(isStale || error instanceof UnusualAnswer)) throw error;
      }
    }
    return undefined;
  }

  close(): void {
    this.#isClosed = true;
    for (const connections of this.#known.values()) connections.close();
  }

  #connectionsTo(url: URL): PlainConnections {
    let connections = this.#known.get(url.origin);
    if (connections === undefined) {
      const limits = { connectionsMax: CONNECTIONS_MAX, bodyBytesMax: BODY_BYTES_MAX };
      connections = new PlainConnections(url, limits);
      this.#known.set(url.origin, connections);
    }
    return connections;
  }
}

async function exchange(open: () => ClientRequest, sent: Sent): Promise<Response> {
  for (;;) {
    const request = open();
    try {
      return await answerTo(request, sent.body);
    } catch (error) {
      const isStale = request.reusedSocket && (error as { code?: string }).code === 'ECONNRESET';
      if (!isStale || !sent.isRead || sent.signal?.aborted === true) throw error;
    }
  }
}

function answerTo(request: ClientRequest, body: PlainRequest['body']): Promise<Response> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      const { headers, statusCode: status = 0 } = response;
      const named = new Map(Object.entries(headers).filter((entry) => isText(entry[1])));
      const answer = { status, headers: named as PlainAnswer['headers'] };
      readAll(response).then((body) => resolve(responseOf({ ...answer, body })), reject);
    });
    request.end(body);
  });
}

async function readAll(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part);
    length += part.length;
    // What comes after is not wanted: the client refuses an answer of this length.
    if (length > BODY_BYTES_MAX) break;
  }
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

/** The part of a response that the client reads; a whole one would copy the bytes through a stream. */
function responseOf({ body: bytes, headers, status }: PlainAnswer): Response {
  const get = (name: string): string | null => headers.get(name.toLowerCase()) ?? null;
  const body = bytes.length === 0 ? null : [new Uint8Array(bytes)];
  return { status, headers: { get }, body } as unknown as Response;
}

/** A header that came several times may be a list. */
function isText(value: string | readonly string[] | undefined): value is string {
  return typeof value === 'string';
}
