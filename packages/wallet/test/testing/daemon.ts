/**
 * Daemons for tests, in this process, with calls over real HTTP and real sockets.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { METHODS, type MethodName, type MethodParams, type MethodResult } from 'svc-api/rpc';
import { SILENT_LOG } from 'svc-base/pure';
import type { Network } from 'svc-wasm';
import { Compile, type Validator } from 'typebox/compile';
import { WebSocket } from 'ws';
import {
  type DaemonOptions,
  openDaemon,
  type RunningDaemon,
} from '../../src/daemon/open-daemon.ts';
import { initWallet } from '../../src/file/open-wallet-file.ts';
import { readToken } from '../../src/file/token.ts';
import { FEE_MAX_DEFAULT } from '../../src/wallet.ts';

export const CHEAP = '{"memory_kib":"7168","passes":"5"}';

export interface TestDaemonOptions extends Partial<DaemonOptions> {
  readonly directory: string;
  readonly service: string;
  /** Only for the first start in a directory; new words without. */
  readonly words?: string;
  /** Only for the first start too; development without. */
  readonly network?: Network;
  readonly isNew?: boolean;
  /** Told of every call that had a result. */
  readonly onCall?: (method: string, params: object) => void;
}

export interface TestDaemon {
  readonly running: RunningDaemon;
  readonly url: string;
  readonly token: string;
  readonly file: string;
  /** Calls a method, holds the answer against the contract, and throws what was refused. */
  call<N extends MethodName>(method: N, params: MethodParams<N>): Promise<MethodResult<N>>;
  raw(body: unknown, headers?: Record<string, string>): Promise<{ status: number; body: RpcBody }>;
  socket(): Promise<TestSocket>;
  close(): Promise<void>;
}

export interface RpcBody {
  readonly id?: unknown;
  readonly result?: Record<string, unknown>;
  readonly error?: { code: number; message: string; data: Record<string, unknown> };
}

export class RefusedCall extends Error {
  readonly code: number;
  readonly data: Record<string, unknown>;

  constructor({ code, message, data }: NonNullable<RpcBody['error']>) {
    super(`${code} ${message} ${JSON.stringify(data)}`);
    this.code = code;
    this.data = data;
  }
}

/** The refusal of a call, which has to come with this code and kind. */
export async function refused(
  code: number,
  kind: string,
  call: Promise<unknown>,
): Promise<RefusedCall> {
  let found: unknown;
  await assert.rejects(call, (error) => {
    found = error;
    assert.ok(error instanceof RefusedCall, String(error));
    assert.deepEqual([error.code, error.data['kind']], [code, kind]);
    return true;
  });
  return found as RefusedCall;
}

const results = new Map<MethodName, Validator>();

function expectResult(method: MethodName, value: unknown): void {
  const validator = results.get(method) ?? Compile(METHODS[method].result);
  results.set(method, validator);
  const fault = validator.Check(value) ? undefined : validator.Errors(value)[0];
  assert.equal(fault, undefined, `${method}: ${JSON.stringify(fault)} in ${JSON.stringify(value)}`);
}

export async function startDaemon(options: TestDaemonOptions): Promise<TestDaemon> {
  const { directory, isNew = true, network = 'development', onCall, words, ...rest } = options;
  const file = join(directory, 'wallet');
  if (isNew) {
    await initWallet({
      path: file,
      network,
      password: null,
      nowMillis: Date.now(),
      cost: CHEAP,
      ...(words === undefined ? {} : { words }),
    });
  }
  const running = await openDaemon({
    file,
    host: '127.0.0.1',
    port: 0,
    isRemote: false,
    hostNames: [],
    confirmations: 1,
    autoCompound: null,
    autoSweepTo: null,
    feeMax: FEE_MAX_DEFAULT,
    gap: 20,
    log: SILENT_LOG,
    ...rest,
  });
  const token = readToken(running.tokenFile);
  const raw: TestDaemon['raw'] = async (body, headers = {}) => {
    const response = await fetch(`${running.url}/v1/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as RpcBody };
  };
  return {
    running,
    url: running.url,
    token,
    file,
    raw,
    async call(method, params) {
      const { body } = await raw({ jsonrpc: '2.0', id: 1, method, params });
      if (body.error !== undefined) throw new RefusedCall(body.error);
      expectResult(method, body.result);
      onCall?.(method, params);
      return body.result as never;
    },
    socket: () => TestSocket.open(running.url, token, onCall),
    close: () => running.close(),
  };
}

export interface Notification {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

export class TestSocket {
  readonly notifications: Notification[] = [];
  readonly #socket: WebSocket;
  readonly #onCall: TestDaemonOptions['onCall'];
  readonly #waiting = new Map<number, (body: RpcBody) => void>();
  readonly #batches: ((bodies: readonly RpcBody[]) => void)[] = [];
  #id = 0;

  static async open(
    url: string,
    token: string,
    onCall?: TestDaemonOptions['onCall'],
  ): Promise<TestSocket> {
    const headers = { authorization: `Bearer ${token}` };
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/ws`, { headers });
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return new TestSocket(socket, onCall);
  }

  private constructor(socket: WebSocket, onCall: TestDaemonOptions['onCall']) {
    this.#socket = socket;
    this.#onCall = onCall;
    socket.on('message', (data) => {
      const frame = JSON.parse((data as Buffer).toString('utf8')) as RpcBody & Notification;
      if (Array.isArray(frame)) this.#batches.shift()?.(frame as readonly RpcBody[]);
      else if (typeof frame.id === 'number') this.#waiting.get(frame.id)?.(frame);
      else this.notifications.push(frame);
    });
  }

  async call(method: string, params: object): Promise<RpcBody> {
    const id = ++this.#id;
    const answered = new Promise<RpcBody>((resolve) => this.#waiting.set(id, resolve));
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const body = await answered;
    if (body.result !== undefined) this.#onCall?.(method, params);
    return body;
  }

  /** Calls methods without parameters in one batch. */
  async batch(methods: readonly string[]): Promise<readonly RpcBody[]> {
    const answered = new Promise<readonly RpcBody[]>((resolve) => this.#batches.push(resolve));
    const calls = methods.map((method, id) => ({ jsonrpc: '2.0', id, method, params: {} }));
    this.#socket.send(JSON.stringify(calls));
    return await answered;
  }

  of(method: string): Notification[] {
    return this.notifications.filter((notification) => notification.method === method);
  }

  /** Resolves with the code that the daemon closed the connection with. */
  closed(): Promise<number> {
    return new Promise((resolve) => this.#socket.once('close', resolve));
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.terminate();
  }
}
