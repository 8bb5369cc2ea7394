/**
 * Plain JSON requests to a node's mining listener, over connections that are kept open.
 */
import { type Agent, type ClientRequestArgs, type IncomingMessage, request } from 'node:http';

export interface JsonAnswer {
  readonly status: number;
  readonly document: unknown;
}

export interface JsonRequest {
  readonly agent: Agent;
  /** Host and port of the node, taken from its URL once and not for every request. */
  readonly place: Pick<ClientRequestArgs, 'hostname' | 'port'>;
  readonly path: string;
  /** Makes it a POST. */
  readonly body?: unknown;
  readonly timeoutMillis: number;
}

/** A template with a full body in hexadecimal and its roots, with room to spare. */
const ANSWER_BYTES_MAX = 1 << 20;

export function askJson(asked: JsonRequest): Promise<JsonAnswer> {
  const { agent, place, path, body, timeoutMillis: timeout } = asked;
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const method = text === undefined ? 'GET' : 'POST';
    const outgoing = request({ ...place, path, agent, method, timeout });
    outgoing.on('timeout', () => outgoing.destroy(new Error('the node does not answer')));
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => readAnswer(incoming, resolve, reject));
    if (text !== undefined) {
      outgoing.setHeader('content-type', 'application/json');
      outgoing.setHeader('content-length', Buffer.byteLength(text));
    }
    outgoing.end(text);
  });
}

/** By events: a bridge reads a hundred templates with every cut, and iterating over a stream costs several times as much. */
function readAnswer(
  incoming: IncomingMessage,
  resolve: (answer: JsonAnswer) => void,
  reject: (error: Error) => void,
): void {
  const parts: Buffer[] = [];
  let length = 0;
  incoming.on('data', (part: Buffer) => {
    length += part.length;
    if (length > ANSWER_BYTES_MAX)
      incoming.destroy(new Error('the answer of the node is too long'));
    else parts.push(part);
  });
  incoming.on('error', reject);
  incoming.on('close', () => reject(new Error('the node broke off its answer')));
  incoming.on('end', () => {
    try {
      const [first] = parts;
      const bytes = parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
      const document = JSON.parse(bytes.toString('utf8')) as unknown;
      resolve({ status: incoming.statusCode ?? 0, document });
    } catch (error) {
      reject(error as Error);
    }
  });
}
