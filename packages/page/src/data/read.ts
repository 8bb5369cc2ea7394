/**
 * Reads documents from the node that served the page. Never more than four requests are under way, which is what a
 * public API allows one reader.
 */
export interface ReadRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly path: string;
  /** Without the version, which every body has. */
  readonly body?: object;
}

export class ReadFailure extends Error {
  /** Undefined if no answer came. */
  readonly status: number | undefined;
  readonly code: string;
  readonly hint: string | undefined;

  constructor(status: number | undefined, code: string, message: string, hint?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

const IN_FLIGHT_MAX = 4;
const TIMEOUT_MILLIS = 20_000;

let inFlight = 0;
const waiting: (() => void)[] = [];

async function place(): Promise<void> {
  if (inFlight >= IN_FLIGHT_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
  inFlight++;
}

function leave(): void {
  inFlight--;
  waiting.shift()?.();
}

export function get(path: string): ReadRequest {
  return { method: 'GET', path };
}

export function post(path: string, body: object): ReadRequest {
  return { method: 'POST', path, body };
}

export async function readDocument<T>(request: ReadRequest, signal?: AbortSignal): Promise<T> {
  await place();
  try {
    return (await exchange(request, signal)) as T;
  } finally {
    leave();
  }
}

async function exchange(request: ReadRequest, signal: AbortSignal | undefined): Promise<unknown> {
  const timeout = AbortSignal.timeout(TIMEOUT_MILLIS);
  let response: Response;
  let text: string;
  try {
    response = await fetch(request.path, {
      method: request.method,
      cache: 'no-store',
      credentials: 'omit',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      ...(request.body === undefined
        ? {}
        : {
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ api_version: 1, ...request.body }),
          }),
    });
    text = await response.text();
  } catch {
    throw new ReadFailure(undefined, 'unreachable', 'the node does not answer');
  }
  const document = parse(text);
  if (response.ok) return document;
  const { error } = (document ?? {}) as {
    error?: { code?: string; message?: string; hint?: string };
  };
  const code = error?.code ?? `http_${response.status}`;
  throw new ReadFailure(response.status, code, error?.message ?? 'no reason given', error?.hint);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The same request for a terminal. */
export function asCurl({ method, path, body }: ReadRequest, origin: string): string {
  const url = `'${origin}${path}'`;
  if (method === 'GET') return `curl ${url}`;
  const data = JSON.stringify({ api_version: 1, ...body });
  return `curl ${url} -H 'content-type: application/json' -d '${data}'`;
}
