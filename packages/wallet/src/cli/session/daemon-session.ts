/**
 * Calls the daemon that holds the wallet, with the token beside it. Neither the contract nor the protocol
 * module is loaded for that: the daemon checks what it is given.
 */
import type { MethodName, MethodParams, MethodResult } from 'svc-api/rpc';
import { CliError, EXIT } from 'svc-base/cli';
import { readToken } from '../../file/token.ts';
import { hasTokenProof, newNonce } from '../../file/token-proof.ts';
import type { Session } from './session.ts';

const HEALTH_MILLIS = 2_000;
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

  /**
   * Returns undefined if nobody answers at the url. Whoever answers has to show that it has the token before it is sent
   * one: a port outlives its daemon and may belong to anybody by now.
   */
  static async find(url: string, tokenFile: string): Promise<DaemonSession | undefined> {
    const token = readToken(tokenFile);
    const nonce = newNonce();
    let proofs: unknown;
    try {
      const signal = AbortSignal.timeout(HEALTH_MILLIS);
      const answer = await fetch(`${url}/v1/proof/${nonce}`, { signal, redirect: 'error' });
      const text = await answer.text();
      proofs = answer.ok ? (JSON.parse(text) as { proofs?: unknown }).proofs : undefined;
    } catch (error) {
      if (!(error instanceof SyntaxError)) return undefined;
    }
    if (hasTokenProof(proofs, token, nonce, portOf(url))) return new DaemonSession(url, token);
    const message = `what listens at ${url} is not the daemon of this wallet`;
    const hint = 'name the token of the daemon with --token-file, or stop the other program';
    throw new CliError(EXIT.refused, message, { hint });
  }

  private constructor(url: string, token: string) {
    this.daemon = url;
    this.#token = token;
  }

  async call<N extends MethodName>(method: N, params: MethodParams<N>): Promise<MethodResult<N>> {
    const response = await this.#post(method, params, 'request_id' in params);
    if (!response.ok) {
      const hint = 'name the token of the daemon that holds this wallet with --token-file';
      throw new CliError(EXIT.refused, `the daemon answered ${response.status}`, { hint });
    }
    const { error, result } = (await response.json()) as Answer;
    if (error !== undefined) throw new DaemonRefusal(error);
    return result as MethodResult<N>;
  }

  async refresh(): Promise<void> {}

  async close(): Promise<void> {}

  async #post(method: MethodName, params: object, movesMoney: boolean): Promise<Response> {
    try {
      return await fetch(`${this.daemon}/v1/rpc`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${this.#token}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        signal: AbortSignal.timeout(CALL_MILLIS),
      });
    } catch (cause) {
      const message = `the daemon at ${this.daemon} did not answer`;
      if (!movesMoney) throw new CliError(EXIT.unreachable, message, { hint: 'try again', cause });
      const hint = 'repeat with the same --request-id, and with no other';
      throw new CliError(EXIT.unknown, message, { hint, cause });
    }
  }
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
