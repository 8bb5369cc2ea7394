/**
 * One request and its answer, with a limit of time and size. It repeats nothing and checks no signature.
 */
import { ClientError } from '../client-error.ts';
import type { WireRequest } from '../routes/make-request.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
  /** The same as text, if the transport has it. */
  readonly text?: string;
}

export interface ExchangeOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMillis: number;
  readonly signal: AbortSignal | undefined;
}

/** Sends one request to the server at an address and returns its answer. */
export type Exchange = (
  base: string,
  request: WireRequest,
  options: ExchangeOptions,
) => Promise<Answer>;

/** More than any answer that the contract allows. */
const ANSWER_BYTES_MAX = 8 << 20;

export async function exchange(
  fetchLike: typeof fetch,
  base: string,
  request: WireRequest,
  { headers, timeoutMillis, signal }: ExchangeOptions,
): Promise<Answer> {
  // A signal that ends by itself would go off long after the answer, once for each request.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMillis);
  const body = request.bytes?.bytes ?? request.body;
  const media = request.bytes?.media ?? (body === undefined ? undefined : 'application/json');
  try {
    const response = await fetchLike(`${base}${request.target}`, {
      method: request.method,
      headers: media === undefined ? headers : { ...headers, 'content-type': media },
      signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
      redirect: 'error',
      cache: 'no-store',
      credentials: 'omit',
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, headers: response.headers, body: await readBody(response) };
  } catch (cause) {
    if (cause instanceof ClientError) throw cause;
    if (signal?.aborted === true)
      throw new ClientError('aborted', 'the caller ended it', { cause });
    const why = late.signal.aborted ? `no answer within ${timeoutMillis} ms` : reasonOf(cause);
    throw new ClientError('unreachable', `${request.method} ${base}${request.target}: ${why}`, {
      cause,
    });
  } finally {
    clearTimeout(timer);
  }
}

async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > ANSWER_BYTES_MAX) {
      throw new ClientError('bad_answer', `the answer is longer than ${ANSWER_BYTES_MAX} bytes`);
    }
    parts.push(part);
  }
  if (parts.length === 1) return parts[0] as Uint8Array<ArrayBuffer>;
  const body = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}

/** The message of the innermost error: that of Node's `fetch` is the same for every failure. */
function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined
    ? reasonOf(error.cause)
    : String(error instanceof Error && error.message !== '' ? error.message : error);
}
