/**
 * One JSON-RPC call from its text to its answer. Whatever goes wrong becomes an answer; what was not foreseen
 * is logged, and the caller learns nothing of its inside.
 */
import { METHOD_SCOPES, type MethodName, RPC_ERRORS, type RpcErrorKind } from 'svc-api/rpc';
import type { Log } from 'svc-base/pure';
import { SvcError } from 'svc-wasm';
import { type Json, type JsonObject, parseJson } from 'svc-wasm/base';
import { WalletError } from '../errors.ts';
import { expectValid } from '../journal/limits.ts';
import type { Connection, WalletPorts } from '../methods/method.ts';
import { callMethod, isMethod, isPayment } from '../methods/table.ts';
import type { Grant } from './access.ts';
import type { CallMeter } from './wallet-metrics.ts';

export type RpcId = string | number | null;

export interface RpcAnswer {
  readonly jsonrpc: '2.0';
  readonly id: RpcId;
  readonly result?: unknown;
  readonly error?: object;
}

export interface DispatchPorts {
  /** What the token of the caller allows. */
  readonly grant: Pick<Grant, 'name' | 'limits' | 'scopes' | 'isValid'>;
  readonly wallet: WalletPorts;
  /** Where events go that the caller subscribes to; null over HTTP. */
  readonly connection: Connection | null;
  readonly meter: CallMeter;
}

export const BATCH_MAX = 64;
const ID_CHARACTERS_MAX = 256;
const REPEAT_LATER =
  'repeat it when earlier calls were answered, a payment with the same request_id';
const FIELDS = ['jsonrpc', 'id', 'method', 'params'];

/** What becomes of a call: its result, or why there is none. */
type CarryOut = (request: JsonObject, ports: DispatchPorts) => Promise<unknown>;
type Answer = RpcAnswer | RpcAnswer[] | undefined;

/** Returns the answer to the text of a request, or undefined if the text holds notifications only. */
export async function dispatch(text: string, ports: DispatchPorts): Promise<Answer> {
  return await answerWith(carryOut, text, ports);
}

/** As `dispatch`, but nothing is carried out: every call of the text is refused with the time to repeat it. */
export async function turnAway(
  text: string,
  retryAfterMillis: number,
  ports: DispatchPorts,
): Promise<Answer> {
  const details = { retry_after_millis: retryAfterMillis };
  const refuse = (): Promise<never> => {
    const message = 'too many calls of this connection are being carried out';
    return Promise.reject(new WalletError('busy', message, { hint: REPEAT_LATER, details }));
  };
  return await answerWith(refuse, text, ports);
}

async function answerWith(work: CarryOut, text: string, ports: DispatchPorts): Promise<Answer> {
  let document: Json;
  try {
    document = parseJson(text);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return unreadable(text, error);
  }
  if (!Array.isArray(document)) return await answerOne(work, document, ports);
  if (document.length === 0 || document.length > BATCH_MAX) {
    return failed(null, refusal('invalid_request', `expected 1 to ${BATCH_MAX} calls in a batch`));
  }
  const answers: (RpcAnswer | undefined)[] = [];
  for (let next = 0; next < document.length; ) {
    const others = document.slice(next + 1).findIndex((entry) => !isPaymentCall(entry));
    const count = isPaymentCall(document[next]) ? 1 + (others === -1 ? BATCH_MAX : others) : 1;
    const together = document.slice(next, next + count);
    answers.push(...(await Promise.all(together.map((entry) => answerOne(work, entry, ports)))));
    next += together.length;
  }
  const given = answers.filter((answer) => answer !== undefined);
  return given.length === 0 ? undefined : given;
}

/**
 * Payments that follow each other in a batch are carried out together, because they share one write to the disk and one
 * submission to the node. Every other call waits for those before it, and sees what they did.
 */
function isPaymentCall(entry: Json | undefined): boolean {
  const request = asObject(entry ?? null);
  const params = asObject(request?.['params'] ?? null);
  const method = request?.['method'];
  return typeof method === 'string' && isPayment(method) && params?.['dry_run'] !== true;
}

async function answerOne(
  work: CarryOut,
  entry: Json,
  ports: DispatchPorts,
): Promise<RpcAnswer | undefined> {
  const request = asObject(entry);
  const id = idOf(request);
  const isNotification = request !== undefined && !('id' in request);
  const startedAtMillis = ports.wallet.clock.now();
  const record = (refusal: RpcErrorKind | null): void => {
    const seconds = Math.max(0, ports.wallet.clock.now() - startedAtMillis) / 1_000;
    const method = request?.['method'];
    ports.meter.record(typeof method === 'string' ? method : '', refusal, seconds);
  };
  try {
    if (request === undefined || id === undefined) throw malformed('expected an object with an id');
    const result = await work(request, ports);
    record(null);
    return isNotification ? undefined : { jsonrpc: '2.0', id, result };
  } catch (error) {
    const failure = asWalletError(error, ports.wallet.log, request);
    record(failure.kind);
    if (isNotification && isCall(request)) return undefined;
    return failed(id ?? null, failure);
  }
}

async function carryOut(
  request: JsonObject,
  { connection, grant, wallet }: DispatchPorts,
): Promise<unknown> {
  const { jsonrpc, method } = request;
  if (jsonrpc !== '2.0') throw malformed('expected "jsonrpc": "2.0"');
  if (typeof method !== 'string') throw malformed('expected the name of a method');
  const unknown = Object.keys(request).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) throw malformed('a call has jsonrpc, id, method and params');
  if (!isMethod(method)) throw refusal('unknown_method', 'there is no such method', 'method');
  // Calls of a batch come long after the token was looked at.
  expectValid(grant);
  expectScope(grant, method);
  const params = 'params' in request ? request['params'] : {};
  if (typeof params !== 'object' || params === null || Array.isArray(params)) {
    throw refusal('invalid_params', 'expected params to be an object', 'params');
  }
  return await callMethod(wallet, method, params, { caller: grant, connection });
}

function expectScope({ name, scopes }: DispatchPorts['grant'], method: MethodName): void {
  const needed = METHOD_SCOPES[method];
  if (needed === 'read' || scopes.includes(needed) || scopes.includes('everything')) return;
  const details = { needed_scope: needed, scopes };
  if (scopes.every((scope) => scope === 'read')) {
    throw new WalletError('read_only', 'the token allows reading only', { details });
  }
  const message = `the token ${name} does not have the scope ${needed}`;
  throw new WalletError('out_of_scope', message, { details });
}

/**
 * Answers a text that strict JSON refuses: valid JSON with refused numbers or keys has a wrong parameter, anything
 * else is a parse error.
 */
function unreadable(text: string, error: SvcError): RpcAnswer {
  let lenient: unknown;
  try {
    lenient = JSON.parse(text);
  } catch {
    return failed(null, refusal('parse_error', error.message));
  }
  const id = idOf(asObject(lenient as Json));
  const message = `${error.message}; amounts are decimal strings such as "1.25"`;
  return failed(id ?? null, refusal('invalid_params', message));
}

function asObject(entry: Json): JsonObject | undefined {
  const isObject = typeof entry === 'object' && entry !== null && !Array.isArray(entry);
  return isObject ? entry : undefined;
}

function isCall(request: JsonObject | undefined): boolean {
  return request?.['jsonrpc'] === '2.0' && typeof request['method'] === 'string';
}

/** The id of a call: null for a notification, undefined if the id has a wrong type. */
function idOf(request: JsonObject | undefined): RpcId | undefined {
  const id = request?.['id'];
  if (id === undefined || id === null || typeof id === 'number') return id ?? null;
  return typeof id === 'string' && id.length <= ID_CHARACTERS_MAX ? id : undefined;
}

function malformed(message: string): WalletError {
  return refusal('invalid_request', message);
}

function refusal(kind: RpcErrorKind, message: string, path?: string): WalletError {
  return new WalletError(kind, message, path === undefined ? {} : { path });
}

/** The error as JSON-RPC answers it: `data` says the kind, whether repeating helps, and what to do. */
function failed(id: RpcId, error: WalletError): RpcAnswer {
  const { details, hint, kind, message, path, retry } = error;
  const { code, sentence } = RPC_ERRORS[kind];
  const data = {
    kind,
    retry,
    hint: hint ?? sentence,
    ...(path === undefined ? {} : { path }),
    ...details,
  };
  return { jsonrpc: '2.0', id, error: { code, message, data } };
}

function asWalletError(error: unknown, log: Log, request: JsonObject | undefined): WalletError {
  if (error instanceof WalletError) return error;
  const method = request?.['method'];
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.error({ method: typeof method === 'string' ? method : '', error: detail }, 'a call failed');
  return refusal('internal', 'the daemon failed at this call');
}
