/**
 * Calls the daemon that holds the wallet, with the token beside it. Neither the contract nor the protocol
 * module is loaded for that: the daemon checks what it is given.
 */

import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectOverTls, type TLSSocket } from 'node:tls';
import type { MethodName, MethodParams, MethodResult } from 'svc-api/rpc';
import { CliError, EXIT, type ExitCode } from 'svc-base/cli';
import { peerFingerprint } from 'svc-base/node';
import { hasTokenProof, newNonce, readToken } from '../../file/token.ts';
import type { Session } from './session.ts';

/** The daemon may be busy, and the machine too. */
const PROOF_MILLIS = 30_000;
/** Many times what the proofs of all tokens take. */
const PROOF_BYTES_MAX = 1 << 16;
/** A payment that merges outputs first is answered after a minute at the latest. */
const CALL_MILLIS = 120_000;
/** A connection that was not used for longer is left: the daemon closes it in a few seconds. */
const KEPT_MILLIS = 1_000;

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

interface Answer {
  readonly result?: unknown;
  readonly error?: RpcError;
}

/** Where a daemon is and how it is known. */
interface DaemonPlace {
  readonly url: string;
  readonly token: string;
  readonly fingerprint: string | undefined;
}

export class DaemonSession implements Session {
  readonly #place: DaemonPlace;
  #connection: DaemonConnection;
  #usedAtMillis = performance.now();

  /**
   * Returns undefined if no program listens at the url. The one that answers has to prove that it has the token before it is sent
   * one, on each connection anew: a port outlives its daemon and may belong to any program by now. A daemon with a
   * certificate of its own is known by the certificate's fingerprint before anything is said at all.
   */
  static async find(
    url: string,
    tokenFile: string,
    fingerprint?: string,
    millisMax: number = PROOF_MILLIS,
  ): Promise<DaemonSession | undefined> {
    const place = { url, token: readToken(tokenFile), fingerprint };
    const connection = await connectProven(place, millisMax);
    return connection === undefined ? undefined : new DaemonSession(place, connection);
  }

  private constructor(place: DaemonPlace, connection: DaemonConnection) {
    this.#place = place;
    this.#connection = connection;
  }

  async call<N extends MethodName>(method: N, params: MethodParams<N>): Promise<MethodResult<N>> {
    const movesMoney = mayHavePaid(method, params);
    const { status, text } = await this.#post(method, params, movesMoney);
    if (status !== 200) throw refusalOf(status, text, movesMoney);
    const { error, result } = JSON.parse(text) as Answer;
    if (error !== undefined) throw new DaemonRefusal(error);
    return result as MethodResult<N>;
  }

  async refresh(): Promise<void> {}

  async close(): Promise<void> {
    this.#connection.close();
  }

  async #post(method: MethodName, params: object, movesMoney: boolean): Promise<Exchanged> {
    const { token, url } = this.#place;
    const connection = await this.#connected();
    try {
      return await connection.exchange({
        method: 'POST',
        path: '/v1/rpc',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        signal: AbortSignal.timeout(CALL_MILLIS),
      });
    } catch (cause) {
      if (!movesMoney) throw noAnswer(url, cause);
      throw new CliError(EXIT.unknown, noAnswerText(url), { hint: REPEAT, cause });
    } finally {
      this.#usedAtMillis = performance.now();
    }
  }

  /** A proven connection: the last one for as long as it is surely open, else another. */
  async #connected(): Promise<DaemonConnection> {
    const isKept = performance.now() - this.#usedAtMillis < KEPT_MILLIS;
    if (isKept && this.#connection.isOpen) return this.#connection;
    this.#connection.close();
    const opened = await connectProven(this.#place, PROOF_MILLIS);
    if (opened === undefined) throw noAnswer(this.#place.url);
    this.#connection = opened;
    return opened;
  }
}

/** Opens a connection and has the other side show that it has the token. Undefined if no program listens or it is closed. */
async function connectProven(
  { fingerprint, token, url }: DaemonPlace,
  millisMax: number,
): Promise<DaemonConnection | undefined> {
  const nonce = newNonce();
  const signal = AbortSignal.timeout(millisMax);
  let connection: DaemonConnection | undefined;
  let proofs: unknown;
  try {
    connection = await DaemonConnection.open(url, fingerprint, signal);
    const asked = { method: 'GET', path: `/v1/proof/${nonce}`, bytesMax: PROOF_BYTES_MAX } as const;
    const { status, text } = await connection.exchange({ ...asked, signal });
    proofs = status === 200 ? (JSON.parse(text) as { proofs?: unknown }).proofs : undefined;
    if (hasTokenProof(proofs, token, nonce, new URL(url).host)) return connection;
  } catch (error) {
    connection?.close();
    if (signal.aborted) throw noAnswer(url, error);
    const isStranger = error instanceof SyntaxError || error instanceof Stranger;
    if (!isStranger) return undefined;
  }
  connection?.close();
  const message = `what listens at ${url} is not the daemon of this wallet`;
  const hint =
    'name the token of the daemon with --token-file, stop the other program, or restart a daemon of another release';
  throw new CliError(EXIT.refused, message, { hint });
}

/** Whether the name of the call may be one that was paid under; dry runs and lookups pay nothing. */
function mayHavePaid(method: MethodName, params: object): boolean {
  const isDryRun = 'dry_run' in params && params.dry_run === true;
  return 'request_id' in params && method !== 'request' && !isDryRun;
}

const REPEAT = 'repeat with the same --request-id, and with no other';
export const WHICH_TOKEN = 'name the token of the daemon that holds this wallet with --token-file';

/** What an answer other than 200 says of a call: whether it was carried out, and what helps. */
function refusalOf(status: number, text: string, movesMoney: boolean): CliError {
  const { code, hint, message } = refusalIn(text);
  const told = `the daemon answered ${status}${message === undefined ? '' : `: ${message}`}`;
  const end = (exitCode: ExitCode, advice: string | undefined): CliError =>
    new CliError(exitCode, told, advice === undefined ? {} : { hint: advice });
  // What an earlier call of the name made goes on, and this call does not know of it.
  if (status === 401 || status === 429)
    return movesMoney
      ? end(EXIT.unknown, `${WHICH_TOKEN}, and ${REPEAT}`)
      : end(EXIT.refused, WHICH_TOKEN);
  if (status === 503 && (code === 'busy' || !movesMoney)) return end(EXIT.unreachable, hint);
  if (status < 500) return end(EXIT.refused, hint);
  return movesMoney
    ? end(EXIT.unknown, REPEAT)
    : end(EXIT.failed, hint ?? 'look at the log of the daemon');
}

/** The fields of a refusal that are texts; none if it is no refusal of a daemon. */
function refusalIn(text: string): { code?: string; message?: string; hint?: string } {
  try {
    const { error } = JSON.parse(text) as { error?: Record<string, unknown> };
    const entries = Object.entries(error ?? {}).filter(([, value]) => typeof value === 'string');
    return Object.fromEntries(entries);
  } catch {
    return {};
  }
}

function noAnswer(url: string, cause?: unknown): CliError {
  return new CliError(EXIT.unreachable, noAnswerText(url), { hint: 'try again', cause });
}

function noAnswerText(url: string): string {
  return `the daemon at ${url} did not answer`;
}

/** A refusal of the daemon, with the daemon's own words. */
class DaemonRefusal extends Error {
  override readonly name = 'DaemonRefusal';
  readonly code: number;
  readonly hint: string | undefined;
  readonly path: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor({ code, data = {}, message }: RpcError) {
    super(message);
    const { hint, path } = data;
    this.code = code;
    this.details = data;
    this.hint = typeof hint === 'string' ? hint : undefined;
    this.path = typeof path === 'string' ? path : undefined;
  }
}

interface Exchange {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** An answer that is longer is not read to its end. */
  readonly bytesMax?: number;
  readonly signal: AbortSignal;
}

interface Exchanged {
  readonly status: number;
  readonly text: string;
}

/** The program that listens is not the daemon: it shows another certificate, or says what no daemon says. */
class Stranger extends Error {
  override readonly name = 'Stranger';
}

class DaemonConnection {
  readonly #socket: Socket;
  readonly #agent: Agent;
  readonly #host: string;

  static async open(
    url: string,
    fingerprint: string | undefined,
    signal: AbortSignal,
  ): Promise<DaemonConnection> {
    const { host } = new URL(url);
    const socket = await openSocket(url, fingerprint !== undefined, signal);
    if (fingerprint === undefined || peerFingerprint(socket as TLSSocket) === fingerprint)
      return new DaemonConnection(socket, host);
    socket.destroy();
    throw new Stranger(`what listens at ${url} shows another certificate`);
  }

  private constructor(socket: Socket, host: string) {
    this.#socket = socket.on('error', () => {});
    this.#agent = new OneSocket(socket);
    this.#host = host;
  }

  /** False once either side has closed it, as far as that is known here. */
  get isOpen(): boolean {
    return this.#socket.writable;
  }

  /** One request after another; the platform keeps their order. */
  exchange({ body, bytesMax = Infinity, headers, ...rest }: Exchange): Promise<Exchanged> {
    const options = { ...rest, agent: this.#agent, headers: { ...headers, host: this.#host } };
    return new Promise((resolve, reject) => {
      const sent = request(options, (response) => {
        readText(response, bytesMax).then((text) => {
          resolve({ status: response.statusCode ?? 0, text });
        }, reject);
      });
      sent.once('error', reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
    this.#socket.destroy();
  }
}

/** Has one connection, and makes no other when that one is closed. */
class OneSocket extends Agent {
  #socket: Socket | undefined;

  constructor(socket: Socket) {
    super({ keepAlive: true, maxSockets: 1 });
    this.#socket = socket;
  }

  override createConnection(): Socket {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) throw new Error('the connection is closed');
    return socket;
  }
}

async function readText(response: IncomingMessage, bytesMax: number): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response) {
    parts.push(part as Buffer);
    bytes += (part as Buffer).length;
    if (bytes > bytesMax) throw new Stranger(`the answer is longer than ${bytesMax} bytes`);
  }
  return Buffer.concat(parts).toString();
}

async function openSocket(url: string, isTls: boolean, signal: AbortSignal): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = isTls
    ? connectOverTls({
        ...{ host, port: Number(port === '' ? 443 : port) },
        rejectUnauthorized: false,
        minVersion: 'TLSv1.3',
      })
    : connect({ host, port: Number(port === '' ? 80 : port) });
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect', { signal });
  } catch (error) {
    socket.on('error', () => {}).destroy();
    throw error;
  }
  return socket;
}
