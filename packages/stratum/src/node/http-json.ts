/**
 * Plain JSON requests to a node's mining listener, over connections that are kept open.
 */
import { type Agent, type IncomingMessage, request } from 'node:http';

export interface JsonAnswer {
  readonly status: number;
  readonly document: unknown;
}

export interface JsonRequest {
  readonly agent: Agent;
  readonly url: URL;
  /** Makes it a POST. */
  readonly body?: unknown;
  readonly timeoutMillis: number;
}

/** A template with a full body in hexadecimal and its roots, with room to spare. */
const ANSWER_BYTES_MAX = 1 << 20;

export function askJson({ agent, url, body, timeoutMillis }: JsonRequest): Promise<JsonAnswer> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const outgoing = request(url, {
      agent,
      method: text === undefined ? 'GET' : 'POST',
      timeout: timeoutMillis,
      ...(text === undefined
        ? {}
        : {
            headers: {
              'content-type': 'application/json',
              'content-length': String(Buffer.byteLength(text)),
            },
          }),
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('the node does not answer')));
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      readJson(incoming).then(
        (document) => resolve({ status: incoming.statusCode ?? 0, document }),
        reject,
      );
    });
    outgoing.end(text);
  });
}

async function readJson(incoming: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > ANSWER_BYTES_MAX) throw new Error('the answer of the node is too long');
    parts.push(part);
  }
  return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown;
}
