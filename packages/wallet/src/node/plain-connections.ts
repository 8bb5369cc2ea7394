/**
 * Connections to one node that only write requests and read answers: the platform's client takes three times as long for an
 * exchange of a few payments. They know answers in one form, which is that of this project's nodes: a head that is not too
 * long and tells the length of its body, nothing in between and nothing behind it. Any other answer is `unusual`, and
 * whoever gets that asks with the platform's client from then on. Nothing is sent twice here.
 */
import { connect, type Socket } from 'node:net';

export interface PlainRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface PlainAnswer {
  readonly status: number;
  /** By names in small letters. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** An answer that has to be read by somebody else. */
export class UnusualAnswer extends Error {
  constructor() {
    super('the answer has an unusual form');
  }
}

/** The connection ended, or failed, before the answer was there. */
export class ConnectionLost extends Error {
  /** What the system called the failure; an end without one is that of a reset. */
  readonly code: string;
  /** Whether the connection had been used before: the other side may have closed it before it read the request. */
  readonly wasUsed: boolean;

  constructor(wasUsed: boolean, cause: NodeJS.ErrnoException | undefined) {
    super(cause?.message ?? 'socket hang up', { cause });
    this.code = cause?.code ?? 'ECONNRESET';
    this.wasUsed = wasUsed;
  }
}

export interface PlainLimits {
  readonly connectionsMax: number;
  readonly bodyBytesMax: number;
}

const HEAD_BYTES_MAX = 16 << 10;
const HEAD_END = '\r\n\r\n';
const STATUS_LINE = /^HTTP\/1\.1 ([2-5][0-9]{2})(?: |$)/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const LENGTH = /^[0-9]{1,10}$/;
const IDLE_SECONDS = /(?:^|[, ])timeout=([0-9]{1,5})(?:$|[, ])/;
/** Headers that say that a body has another form, or may stand for several. */
const UNUSUAL_HEADERS = ['transfer-encoding', 'upgrade', 'trailer'];
/** Answers of these have no body, whatever their length says. */
const BODILESS = [204, 205, 304];
/** A connection that nobody says anything else of is used again for so long; others for a second less than they are kept. */
const IDLE_MILLIS = 4_000;
const READ_BYTES = 64 << 10;

/** Whether a request can be written as it is: no value ends its line. */
export function isPlain({ headers, method }: PlainRequest): boolean {
  return (
    method !== 'HEAD' &&
    !Object.entries(headers)
      .flat()
      .some((text) => /[^\t -~]/.test(text))
  );
}

export class PlainConnections {
  readonly #url: URL;
  readonly #limits: PlainLimits;
  readonly #free: PlainConnection[] = [];
  readonly #open = new Set<PlainConnection>();

  /** For a node at a URL whose protocol is HTTP. */
  constructor(url: URL, limits: PlainLimits) {
    this.#url = url;
    this.#limits = limits;
  }

  get hasRoom(): boolean {
    return this.#free.length > 0 || this.#open.size < this.#limits.connectionsMax;
  }

  /** The answer to a request; rejects with what `PlainConnection.ask` says. */
  async ask(target: string, request: PlainRequest): Promise<PlainAnswer> {
    request.signal?.throwIfAborted();
    const connection = this.#take();
    const answer = await connection.ask(target, request);
    if (connection.mayBeUsed) this.#free.push(connection);
    else connection.destroy();
    return answer;
  }

  close(): void {
    for (const connection of this.#open) connection.destroy();
  }

  #take(): PlainConnection {
    for (;;) {
      const free = this.#free.pop();
      if (free === undefined) break;
      if (free.mayBeUsed) return free;
      free.destroy();
    }
    const connection = new PlainConnection(this.#url, this.#limits.bodyBytesMax, () => {
      this.#open.delete(connection);
      const place = this.#free.indexOf(connection);
      if (place >= 0) this.#free.splice(place, 1);
    });
    this.#open.add(connection);
    return connection;
  }
}

/** A request that is being answered. */
interface Asked {
  readonly answered: PromiseWithResolvers<PlainAnswer>;
  /** What came of the answer. */
  readonly pieces: Buffer[];
  length: number;
  /** Head of the answer, and where its body begins and ends; undefined until all of it is there. */
  head: { readonly head: Head; readonly bodyAt: number; readonly end: number } | undefined;
}

class PlainConnection {
  readonly #host: string;
  readonly #socket: Socket;
  readonly #bodyBytesMax: number;
  #asked: Asked | undefined;
  #exchanges = 0;
  #usableUntilMillis = Number.POSITIVE_INFINITY;

  constructor({ host, hostname, port }: URL, bodyBytesMax: number, onClosed: () => void) {
    this.#host = host;
    this.#bodyBytesMax = bodyBytesMax;
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    this.#socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? 80 : Number(port),
      noDelay: true,
      onread: { buffer, callback: (bytes) => this.#read(buffer.subarray(0, bytes)) },
    });
    let failure: Error | undefined;
    this.#socket.on('error', (error) => {
      failure = error;
    });
    this.#socket.on('end', () => this.#socket.destroy());
    this.#socket.on('close', () => {
      onClosed();
      this.#fail(new ConnectionLost(this.#exchanges > 1, failure));
    });
  }

  get mayBeUsed(): boolean {
    return !this.#socket.destroyed && performance.now() < this.#usableUntilMillis;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Rejects with `UnusualAnswer`, `ConnectionLost` or why the signal was aborted; the connection is closed then. */
  async ask(target: string, { body, headers, method, signal }: PlainRequest): Promise<PlainAnswer> {
    const answered = Promise.withResolvers<PlainAnswer>();
    this.#asked = { answered, pieces: [], length: 0, head: undefined };
    this.#exchanges++;
    this.#socket.ref();
    const end = (): void => this.#fail(signal?.reason);
    signal?.addEventListener('abort', end);
    this.#write(target, { body, headers, method });
    try {
      return await answered.promise;
    } finally {
      signal?.removeEventListener('abort', end);
      this.#socket.unref();
    }
  }

  #write(target: string, { body, headers, method }: Omit<PlainRequest, 'signal'>): void {
    let head = `${method} ${target} HTTP/1.1\r\nhost: ${this.#host}\r\nconnection: keep-alive\r\n`;
    for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`;
    const bytes = body === undefined ? 0 : Buffer.byteLength(body);
    if (body !== undefined) head += `content-length: ${bytes}\r\n`;
    head += '\r\n';
    if (body === undefined || typeof body === 'string') {
      // The platform writes what is ASCII alone faster where it is told so.
      const isAscii = bytes === (body?.length ?? 0);
      this.#socket.write(`${head}${body ?? ''}`, isAscii ? 'latin1' : 'utf8');
      return;
    }
    const whole = Buffer.allocUnsafe(head.length + bytes);
    whole.write(head, 'latin1');
    whole.set(body, head.length);
    this.#socket.write(whole);
  }

  /** Takes what was read; goes on reading unless the connection is closed. */
  #read(piece: Buffer): boolean {
    const asked = this.#asked;
    if (asked === undefined) {
      // Nobody asked for this.
      this.#socket.destroy();
      return false;
    }
    // The piece lies where the next one will be read to.
    asked.pieces.push(Buffer.from(piece));
    asked.length += piece.length;
    try {
      this.#answer(asked);
    } catch (error) {
      this.#fail(error);
      return false;
    }
    return true;
  }

  /** Answers once all of the answer is there. */
  #answer(asked: Asked): void {
    asked.head ??= this.#readHead(asked);
    if (asked.head === undefined || asked.length < asked.head.end) return;
    const { bodyAt, end, head } = asked.head;
    if (asked.length > end) throw new UnusualAnswer();
    this.#asked = undefined;
    const { headers, idleMillis, status } = head;
    this.#usableUntilMillis = performance.now() + idleMillis;
    asked.answered.resolve({ status, headers, body: whole(asked).subarray(bodyAt, end) });
  }

  #readHead(asked: Asked): Asked['head'] {
    const bytes = whole(asked);
    const headEnd = bytes.indexOf(HEAD_END);
    if (headEnd > HEAD_BYTES_MAX || (headEnd === -1 && bytes.length > HEAD_BYTES_MAX)) {
      throw new UnusualAnswer();
    }
    if (headEnd === -1) return undefined;
    const head = headOf(bytes.toString('latin1', 0, headEnd));
    if (head.length > this.#bodyBytesMax) throw new UnusualAnswer();
    const bodyAt = headEnd + HEAD_END.length;
    return { head, bodyAt, end: bodyAt + head.length };
  }

  #fail(error: unknown): void {
    const asked = this.#asked;
    this.#asked = undefined;
    this.#socket.destroy();
    asked?.answered.reject(error);
  }
}

/** What came so far, in one piece. */
function whole(asked: Asked): Buffer {
  if (asked.pieces.length > 1) asked.pieces.splice(0, Infinity, Buffer.concat(asked.pieces));
  return asked.pieces[0] as Buffer;
}

interface Head {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly length: number;
  /** How long the connection may be used again. */
  readonly idleMillis: number;
}

function headOf(text: string): Head {
  const [first = '', ...lines] = text.split('\r\n');
  const status = Number(STATUS_LINE.exec(first)?.[1]);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    if (!HEADER_NAME.test(name) || headers.has(name)) throw new UnusualAnswer();
    headers.set(name, line.slice(colon + 1).trim());
  }
  const length = headers.get('content-length') ?? '';
  const isUsual =
    !Number.isNaN(status) &&
    !BODILESS.includes(status) &&
    LENGTH.test(length) &&
    !UNUSUAL_HEADERS.some((name) => headers.has(name));
  if (!isUsual) throw new UnusualAnswer();
  return { status, headers, length: Number(length), idleMillis: idleMillisOf(headers) };
}

function idleMillisOf(headers: ReadonlyMap<string, string>): number {
  const isKept = (headers.get('connection') ?? 'keep-alive').toLowerCase() === 'keep-alive';
  if (!isKept) return 0;
  const seconds = IDLE_SECONDS.exec(headers.get('keep-alive') ?? '')?.[1];
  return seconds === undefined ? IDLE_MILLIS : 1_000 * (Number(seconds) - 1);
}
