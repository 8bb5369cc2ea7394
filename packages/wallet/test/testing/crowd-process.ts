/**
 * A client program that makes many calls at once, each on a connection of its own that it keeps open until all of them have
 * come to an end, and tells how each ended.
 */
import { Agent, type IncomingMessage, request } from 'node:http';

export interface Crowd {
  readonly url: string;
  readonly token: string;
  readonly calls: number;
}

/** How many calls ended in which way: `200`, a status with a code and when to repeat, or the error of the connection. */
export type Ends = Readonly<Record<string, number>>;

const BODY = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'status', params: {} });

async function endOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  if (response.statusCode === 200) return '200';
  const { error } = JSON.parse(Buffer.concat(parts).toString()) as { error: { code: string } };
  return `${response.statusCode} ${error.code} after ${response.headers['retry-after']}`;
}

function call({ token, url }: Crowd, agent: Agent): Promise<string> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': BODY.length,
    };
    request(`${url}/v1/rpc`, { method: 'POST', agent, headers }, (response) => {
      endOf(response).then(resolve, (error: NodeJS.ErrnoException) => resolve(String(error.code)));
    })
      .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      .end(BODY);
  });
}

async function callAll(crowd: Crowd): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const all = await Promise.all(Array.from({ length: crowd.calls }, () => call(crowd, agent)));
  agent.destroy();
  const ends: Record<string, number> = {};
  for (const end of all) ends[end] = (ends[end] ?? 0) + 1;
  process.send?.(ends);
}

process.on('message', (crowd: Crowd) => void callAll(crowd));
process.on('disconnect', () => process.exit(0));
