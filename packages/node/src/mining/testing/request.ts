/**
 * Plain HTTP requests over a real socket, every header of which a test can set.
 */
import { type IncomingHttpHeaders, request } from 'node:http';

export interface Sent {
  readonly port: number;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export function send({ port, method = 'GET', path, headers = {}, body }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path, headers, agent: false };
    const outgoing = request(options, (incoming) => {
      const parts: Buffer[] = [];
      incoming.on('data', (part: Buffer) => void parts.push(part));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(parts).toString('utf8');
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

export function postJson(port: number, path: string, document: unknown): Promise<Received> {
  const body = typeof document === 'string' ? document : JSON.stringify(document);
  const headers = { 'content-type': 'application/json' };
  return send({ port, method: 'POST', path, headers, body });
}
