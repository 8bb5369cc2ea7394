/**
 * One client object for a node: every route as a function, lists as iterators, sockets that reconnect.
 */
import type { RouteName } from 'svc-api';
import { sleep } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { type FollowOptions, followAddresses } from './follow-addresses.ts';
import { exchange } from './http/exchange.ts';
import { hedge } from './http/hedge.ts';
import type { RetryPolicy } from './http/retry.ts';
import { type Caller, isSubmission, Transport } from './http/transport.ts';
import { makePages, type Pages } from './pages.ts';
import { PATHS } from './routes/paths.ts';
import type { AnswerOf, CallOptions, RouteCalls } from './routes/route-types.ts';
import { ApiSocket, type ApiSocketOptions } from './sockets/api-socket.ts';
import { type CutEventsOptions, type CutStreamEvent, cutEvents } from './sockets/cut-events.ts';
import { opener, type SocketPorts, type WebSocketConstructor } from './sockets/reconnect.ts';
import { type Submission, type SubmissionOutcome, submitTransaction } from './submit.ts';
import { BatchSubmissions } from './submit-many.ts';
import { type WaitOptions, waitFinal } from './wait-final.ts';

/** A further node that reads may go to. */
export interface FurtherNode {
  readonly url: string;
  /** The identity whose signature every answer of this node must carry. */
  readonly identity?: string;
}

/** Which node a client speaks to, and how far its answers are trusted. */
export interface ClientOptions {
  /** Such as `http://127.0.0.1:28701`. */
  readonly url: string;
  /** The identity whose signature every answer must carry. */
  readonly identity?: string;
  /** The chain id that signed answers must name. Unless given, it is learned from the first answer. */
  readonly chainId?: string;
  readonly fetch?: typeof fetch;
  readonly WebSocket?: WebSocketConstructor;
  readonly timeoutMillis?: number;
  readonly retry?: Partial<RetryPolicy>;
  /**
   * Nodes that are asked, one after another, when the first one is slow or fails; the first good answer counts. Reads
   * alone: submissions and sockets go to `url`. A node that is behind may answer with an older state.
   */
  readonly furtherNodes?: readonly FurtherNode[];
  /** How long a node has before the next one is asked as well; 1,000 unless given. */
  readonly hedgeMillis?: number;
  /** Throws if an answer has a wrong shape. Unless given, the shape of answers is trusted. */
  readonly check?: (name: RouteName, document: unknown) => void;
}

/** A node: every route as a method, and what takes more than one call. */
export interface Client extends RouteCalls {
  readonly url: string;
  /** Lists of several pages, row by row. */
  readonly pages: Pages;
  /** Submits a transaction. After a lost answer its status is asked for, and nothing is sent again. */
  submit(submission: Submission, options?: CallOptions): Promise<SubmissionOutcome>;
  /**
   * Submits up to 8 transactions in one request, and returns the outcome of each. A node without such requests gets
   * one after the other.
   */
  submitMany(
    submissions: readonly Submission[],
    options?: CallOptions,
  ): Promise<PromiseSettledResult<SubmissionOutcome>[]>;
  /** Resolves with the status once it is final: by the node's stream, or by polling where there is no stream. */
  waitFinal(id: string, options?: WaitOptions): Promise<AnswerOf<'transactionStatus'>>;
  /**
   * Finalized cuts in order. After a reconnect the stream continues with the next cut, and on a development network
   * that was reverted to a snapshot with the first one after it.
   */
  cutEvents(options?: CutEventsOptions): AsyncGenerator<CutStreamEvent, void>;
  /** Opens a socket for subscriptions by topic. After a reconnect it subscribes again. */
  openSocket(options?: ApiSocketOptions): ApiSocket;
  /**
   * Hands over every change of the addresses from a height on, each change once. What happens on a development network after it was
   * brought back to a snapshot is handed over as well.
   */
  followAddresses(options: FollowOptions): Promise<void>;
}

export const TIMEOUT_MILLIS = 15_000;
const HEDGE_MILLIS = 1_000;
const FURTHER_NODES_MAX = 7;
export const RETRY_POLICY: RetryPolicy = {
  retries: 4,
  waitMillisMax: 30_000,
  sleep: (millis, signal) => sleep(SYSTEM_CLOCK, millis, signal),
  random: Math.random,
};

/**
 * Makes the client of a node. Nothing is sent before the first call.
 *
 * @example
 * const client = createClient({ url: 'http://127.0.0.1:28701' });
 * const { cut } = await client.chainHead();
 */
export function createClient(options: ClientOptions): Client {
  const policy = { ...RETRY_POLICY, ...options.retry };
  const transport = transportTo(options, options, policy);
  const reads = readsOf(options, transport, policy);
  const batches = new BatchSubmissions(transport);
  const sockets: SocketPorts = {
    open: opener(options.WebSocket ?? globalThis.WebSocket),
    sleep: policy.sleep,
    random: policy.random,
  };
  const socketBase = transport.base.replace(/^http/, 'ws');
  const events: Client['cutEvents'] = (more) => cutEvents(socketBase, sockets, reads, more);
  const client: Omit<Client, keyof RouteCalls> = {
    url: transport.base,
    pages: makePages(reads),
    submit: (submission, more) => submitTransaction(transport, submission, more),
    submitMany: (submissions, more) => batches.submit(submissions, more),
    waitFinal: (id, more) => waitFinal({ reads, policy, sockets, socketBase }, id, more),
    cutEvents: events,
    openSocket: (more) => new ApiSocket(socketBase, sockets, more),
    followAddresses: (more) => followAddresses(reads, events, more),
  };
  return Object.assign(client, routeCalls(reads));
}

/** Every route as a function. */
export function routeCalls(reads: Caller): RouteCalls {
  const calls = Object.keys(PATHS).map((name) => [
    name,
    (input: object = {}, more?: CallOptions) => reads.call(name as RouteName, input, more),
  ]);
  return Object.fromEntries(calls) as RouteCalls;
}

function transportTo(node: FurtherNode, options: ClientOptions, policy: RetryPolicy): Transport {
  return new Transport({
    url: node.url,
    identity: node.identity,
    chainId: options.chainId,
    exchange: (...given) => exchange(options.fetch ?? fetch, ...given),
    timeoutMillis: options.timeoutMillis ?? TIMEOUT_MILLIS,
    policy,
    check: options.check,
  });
}

/** The calls of the first node, or of all of them. */
function readsOf(options: ClientOptions, first: Transport, policy: RetryPolicy): Caller {
  const { furtherNodes = [], hedgeMillis = HEDGE_MILLIS } = options;
  if (furtherNodes.length === 0) return first;
  if (furtherNodes.length > FURTHER_NODES_MAX)
    throw new RangeError(`expected at most ${FURTHER_NODES_MAX} further nodes`);
  const others = furtherNodes.map((node) => transportTo(node, options, policy));
  const { sleep: wait } = policy;
  return {
    call(name, input, more = {}) {
      if (isSubmission(name)) return first.call(name, input, more);
      const attempts = [first, ...others].map(
        (each) => (signal: AbortSignal) => each.call(name, input, { ...more, signal }),
      );
      return hedge(attempts, { hedgeMillis, sleep: wait, signal: more.signal });
    },
  };
}
