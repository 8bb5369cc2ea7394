/**
 * Calls the daemon that holds the wallet, with the token beside it. Neither the contract nor the protocol
 * module is loaded for that: the daemon checks what it is given.
 */
import type { MethodName, MethodParams, MethodResult } from 'svc-api/rpc';
import { CliError, EXIT } from 'svc-base/cli';
import { readToken } from '../../file/token.ts';
import { hasTokenProof, newNonce } from '../../file/token-proof.ts';
import {
  type Exchange,
  type Exchanged,
  exchangePinned,
  OtherCertificate,
} from './pinned-exchange.ts';
import type { Session } from './session.ts';

/** The daemon may be busy, and the machine too. */
const PROOF_MILLIS = 30_000;
/** A payment that merges outputs first is answered after a minute at the latest. */
const CALL_MILLIS = 120_000;

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

interface Answer {
  readonly result?: unknown;
  readonly error?: RpcError;
}

export class DaemonSession implements Session {
  readonly daemon: string;
  readonly #token: string;
  readonly #fingerprint: string | undefined;

  /**
   * Returns undefined if nobody listens at the url. Whoever answers has to show that it has the token before it is sent
   * one: a port outlives its daemon and may belong to anybody by now. A daemon with a certificate of its own is known by
   * the certificate's fingerprint before anything is said at all.
   */
  static async find(
    url: string,
    tokenFile: string,
    fingerprint?: string,
    millisMax: number = PROOF_MILLIS,
  ): Promise<DaemonSession | undefined> {
    const token = readToken(tokenFile);
    const nonce = newNonce();
    let proofs: unknown;
    try {
      const asked = { method: 'GET', millisMax } as const;
      const { status, text } = await exchange(`${url}/v1/proof/${nonce}`, fingerprint, asked);
      proofs = status === 200 ? (JSON.parse(text) as { proofs?: unknown }).proofs : undefined;
    } catch (error) {
      if (isTimeout(error)) throw noAnswer(url, error);
      const isStranger = error instanceof SyntaxError || error instanceof OtherCertificate;
      if (!isStranger) return undefined;
    }
    if (hasTokenProof(proofs, token, nonce, portOf(url)))
      return new DaemonSession(url, token, fingerprint);
    const message = `what listens at ${url} is not the daemon of this wallet`;
    const hint = 'name the token of the daemon with --token-file, or stop the other program';
    throw new CliError(EXIT.refused, message, { hint });
  }

  private constructor(url: string, token: string, fingerprint: string | undefined) {
    this.daemon = url;
    this.#token = token;
    this.#fingerprint = fingerprint;
  }

  async call<N extends MethodName>(method: N, params: MethodParams<N>): Promise<MethodResult<N>> {
    const { status, text } = await this.#post(method, params, 'request_id' in params);
    if (status !== 200) {
      const hint = 'name the token of the daemon that holds this wallet with --token-file';
      throw new CliError(EXIT.refused, `the daemon answered ${status}`, { hint });
    }
    const { error, result } = JSON.parse(text) as Answer;
    if (error !== undefined) throw new DaemonRefusal(error);
    return result as MethodResult<N>;
  }

  async refresh(): Promise<void> {}

  async close(): Promise<void> {}

  async #post(method: MethodName, params: object, movesMoney: boolean): Promise<Exchanged> {
    try {
      return await exchange(`${this.daemon}/v1/rpc`, this.#fingerprint, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${this.#token}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        millisMax: CALL_MILLIS,
      });
    } catch (cause) {
      if (!movesMoney) throw noAnswer(this.daemon, cause);
      const hint = 'repeat with the same --request-id, and with no other';
      throw new CliError(EXIT.unknown, noAnswerText(this.daemon), { hint, cause });
    }
  }
}

function noAnswer(url: string, cause: unknown): CliError {
  return new CliError(EXIT.unreachable, noAnswerText(url), { hint: 'try again', cause });
}

function noAnswerText(url: string): string {
  return `the daemon at ${url} did not answer`;
}

/** Where a request is given up, the reason stands in the error or is the error itself. */
function isTimeout(error: unknown): boolean {
  const isNamedSo = (one: unknown): boolean => one instanceof Error && one.name === 'TimeoutError';
  return isNamedSo(error) || (error instanceof Error && isNamedSo(error.cause));
}

/** Over TLS where a fingerprint is known, else as it is. */
async function exchange(
  url: string,
  fingerprint: string | undefined,
  given: Exchange,
): Promise<Exchanged> {
  if (fingerprint !== undefined) return await exchangePinned(url, fingerprint, given);
  const { millisMax, ...rest } = given;
  const signal = AbortSignal.timeout(millisMax);
  const answer = await fetch(url, { ...rest, signal, redirect: 'error' });
  return { status: answer.status, text: await answer.text() };
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
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
