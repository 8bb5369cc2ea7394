/**
 * The head of a call as programs send it: `POST /v1/rpc` with headers that each tell one thing, and nothing that would
 * change how the body is read. It knows this one form and no other; whoever finds none leaves the request to the parser
 * of the platform, which judges everything else.
 */

export const BODY_BYTES_MAX = 128 * 1024;
export const RPC_PATH = '/v1/rpc';
export const JSON_TYPE = 'application/json';
const REQUEST_LINE = `POST ${RPC_PATH} HTTP/1.1`;
const HEADER = /^([a-z-]{1,32}): ([!-~](?:[ -~]{0,510}[!-~])?)$/i;
const LENGTH = /^(?:0|[1-9][0-9]{0,5})$/;
/** Headers of a call that change nothing of its answer; every other one is judged elsewhere. */
const HARMLESS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'sec-fetch-mode',
  'user-agent',
]);
const READ: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'host',
]);

export interface UsualHead {
  readonly host: string;
  readonly authorization: string;
  /** Bytes of the body. */
  readonly length: number;
}

/** Reads a head without the empty line that ends it; undefined if it has another form. */
export function readUsualHead(head: string): UsualHead | undefined {
  const [first, ...lines] = head.split('\r\n');
  const headers = first === REQUEST_LINE ? headersOf(lines) : undefined;
  if (headers === undefined) return undefined;
  const { authorization, connection, host } = headers;
  const length = headers['content-length'];
  if (authorization === undefined || host === undefined || length === undefined) return undefined;
  const isUsual =
    headers['content-type'] === JSON_TYPE &&
    (connection === undefined || connection.toLowerCase() === 'keep-alive') &&
    LENGTH.test(length) &&
    Number(length) <= BODY_BYTES_MAX;
  return isUsual ? { host, authorization, length: Number(length) } : undefined;
}

/** The headers that are read, by their names in small letters; undefined if one is not known or comes twice. */
function headersOf(lines: readonly string[]): Record<string, string | undefined> | undefined {
  const headers: Record<string, string | undefined> = {};
  for (const line of lines) {
    const [, written = '', value = ''] = HEADER.exec(line) ?? [];
    const name = written.toLowerCase();
    if (READ.has(name) && headers[name] === undefined) headers[name] = value;
    else if (!HARMLESS.has(name)) return undefined;
  }
  return headers;
}
