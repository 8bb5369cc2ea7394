/**
 * `fetch` as the client of the node uses it, over connections that are kept: the one of the platform costs several times
 * as much for each request. A read on a kept connection that the node has just closed is sent again on a new one.
 * It follows no redirect and knows no cache and no credentials.
 */
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { ROUTES, type Route } from 'svc-api';

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
  close(): void;
}

interface Sent {
  readonly method: string;
  /** Sending it twice is as good as sending it once. */
  readonly isRead: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
}

export function keepAliveFetch(): KeepAliveFetch {
  const options = { keepAlive: true, maxSockets: CONNECTIONS_MAX, noDelay: true };
  const agent = new Agent(options);
  const tlsAgent = new TlsAgent(options);
  const open = (url: URL, { headers, method, signal }: Sent): ClientRequest => {
    const given = { method, headers, ...(signal === undefined ? {} : { signal }) };
    return url.protocol === 'https:'
      ? tlsRequest(url, { ...given, agent: tlsAgent })
      : request(url, { ...given, agent });
  };
  return {
    fetch: async (target, init = {}) => {
      const { body, headers, method = 'GET', signal } = init;
      const url = new URL(target instanceof Request ? target.url : target);
      const sent: Sent = {
        method,
        isRead: method === 'GET' || POSTED_READS.some((path) => url.pathname.endsWith(path)),
        headers: headers as Readonly<Record<string, string>>,
        body: body as string | undefined,
        signal: signal ?? undefined,
      };
      return await exchange(() => open(url, sent), sent);
    },
    close: () => {
      agent.destroy();
      tlsAgent.destroy();
    },
  };
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

function answerTo(request: ClientRequest, body: string | undefined): Promise<Response> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      readAll(response).then((bytes) => resolve(responseOf(response, bytes)), reject);
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
function responseOf({ headers, statusCode = 0 }: IncomingMessage, bytes: Buffer): Response {
  const get = (name: string): string | null => {
    const value = headers[name.toLowerCase()];
    return typeof value === 'string' ? value : null;
  };
  const body = bytes.length === 0 ? null : [new Uint8Array(bytes)];
  return { status: statusCode, headers: { get }, body } as unknown as Response;
}
