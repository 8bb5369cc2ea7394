/**
 * A client of the wallet daemon: every method as a call, and the loop that credits deposits.
 */
import type { Funds, MethodResult, Retry } from 'svc-api/rpc';
import { sleep } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { expectWebSocket, type SocketPorts, type WebSocketLike } from '../sockets/reconnect.ts';
import { type FollowDepositsOptions, followDeposits, type WalletCall } from './follow-deposits.ts';
import { WalletRpcError } from './wallet-rpc-error.ts';

/** The daemon, and its token. */
export interface WalletClientOptions {
  /** Such as `http://127.0.0.1:28703`, or `https://wallet.example/wallets/hot` behind a proxy that serves several wallets. */
  readonly url: string;
  /** What the daemon wrote into `<wallet file>.token`. */
  readonly token: string;
  readonly fetch?: typeof fetch;
  /** Opens a socket with the token in its header. Unless given, the WebSocket of Node is used. */
  readonly openSocket?: (url: string, headers: Readonly<Record<string, string>>) => WebSocketLike;
  readonly timeoutMillis?: number;
  /**
   * Returns the first result also where a `request_id` was used before with other parameters. Unless set, such a call
   * throws: nothing was paid for it.
   */
  readonly allowMismatch?: boolean;
}

/** A wallet daemon: its methods, and its deposits as a stream. */
export interface WalletClient {
  readonly call: WalletCall;
  /** Hands over every deposit from a height on, and a height once all deposits up to it were handed over. */
  followDeposits(options: FollowDepositsOptions): Promise<void>;
}

interface RpcBody {
  readonly result?: unknown;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: {
      readonly kind?: string;
      readonly retry?: Retry;
      readonly hint?: string;
      readonly path?: string;
      readonly funds?: Funds;
    };
  };
}

/** An answer other than 200. */
interface HttpRefusal {
  readonly status: number;
  readonly text: string;
}

type HeaderedWebSocket = new (url: string, options: object) => WebSocketLike;

/** How long a call may take: a payment can wait for outputs to be merged. */
const TIMEOUT_MILLIS = 60_000;
/** Refusals for the content of the call: every call like it was refused. */
const WRONG_CALL: readonly number[] = [400, 413, 415];

/**
 * Makes the client of a wallet daemon.
 *
 * @example
 * const wallet = createWalletClient({ url: 'http://127.0.0.1:28703', token });
 * const { address } = await wallet.call('new_address', { label: 'customer 1' });
 */
export function createWalletClient(options: WalletClientOptions): WalletClient {
  const base = options.url.replace(/\/+$/, '');
  const fetchLike = options.fetch ?? ((...given: Parameters<typeof fetch>) => fetch(...given));
  const headers = { authorization: `Bearer ${options.token}` };
  const open =
    options.openSocket ??
    ((url, given) => {
      const Headered = expectWebSocket(globalThis.WebSocket as unknown as HeaderedWebSocket);
      return new Headered(url, { headers: given });
    });
  const ports: SocketPorts = {
    open: (url) => open(url, headers),
    sleep: (millis, signal) => sleep(SYSTEM_CLOCK, millis, signal),
    random: Math.random,
  };
  const call: WalletCall = async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await post(fetchLike, `${base}/v1/rpc`, headers, body, options.timeoutMillis);
    if ('status' in answer) throw httpRefusalOf(answer, movesMoney(method, params));
    if (answer.error !== undefined) throw refusalOf(answer.error);
    const { mismatch } = answer.result as { mismatch?: true };
    if (mismatch === true && options.allowMismatch !== true) throw mismatchOf(answer.result);
    return answer.result as MethodResult<typeof method>;
  };
  const socketUrl = `${base.replace(/^http/, 'ws')}/v1/ws`;
  return { call, followDeposits: (more) => followDeposits(call, socketUrl, ports, more) };
}

async function post(
  fetchLike: typeof fetch,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  timeoutMillis = TIMEOUT_MILLIS,
): Promise<RpcBody | HttpRefusal> {
  let response: Response;
  try {
    response = await fetchLike(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(timeoutMillis),
    });
    if (response.status === 200) return (await response.json()) as RpcBody;
  } catch (cause) {
    throw new WalletRpcError('the wallet daemon does not answer', {
      retry: 'same_request_id',
      cause,
    });
  }
  return { status: response.status, text: await response.text().catch(() => '') };
}

/**
 * An answer other than 200 comes before the daemon reads the `request_id`. It does not show what an earlier call
 * with it made, so a payment is never abandoned for it, unless every call like it is refused.
 */
function httpRefusalOf({ status, text }: HttpRefusal, isPayment: boolean): WalletRpcError {
  const mayBeMade = isPayment && !WRONG_CALL.includes(status);
  const retry = status >= 500 || mayBeMade ? 'same_request_id' : 'never';
  const kind = kindIn(text);
  return new WalletRpcError(`the wallet daemon answered ${status} ${text}`, {
    retry,
    ...(kind === undefined ? {} : { kind }),
  });
}

/** The code of a refusal of the daemon, such as `unauthorized`; none if something else answered. */
function kindIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown } };
    return typeof error?.code === 'string' ? error.code : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a call makes or sends transactions; `request` names one and reads. */
function movesMoney(method: string, params: object): boolean {
  return method === 'shared_submit' || ('request_id' in params && method !== 'request');
}

function refusalOf({ code, data = {}, message }: NonNullable<RpcBody['error']>): WalletRpcError {
  const { retry = 'never', ...more } = data;
  return new WalletRpcError(message, { code, retry, ...more });
}

/** The daemon answers a used `request_id` with its first result; a caller that asked for something else was not served. */
function mismatchOf(result: unknown): WalletRpcError {
  const { transaction } = result as { transaction?: string };
  const message = 'the request_id was used before with other parameters; nothing was done now';
  return new WalletRpcError(message, {
    kind: 'request_id_mismatch',
    retry: 'never',
    hint: 'look up what the first call did; a new payment needs a name of its own',
    ...(transaction === undefined ? {} : { transaction }),
  });
}
