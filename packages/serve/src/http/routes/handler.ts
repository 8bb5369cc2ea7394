/**
 * What a route is made of on the side of the node: a function from a request that fits its schema to an
 * answer. It reads through `readers` only, so that an answer is of one height.
 */
import type { ROUTES, Route, RouteName } from 'svc-api';
import type { Static, TSchema } from 'typebox';
import type { Addresses } from '../../documents/addresses.ts';
import type { Services } from '../../ports.ts';
import type { Answer } from '../answers.ts';
import type { RequestGuard } from '../guards/request-guard.ts';
import type { AttendanceHistory, ChainSeries, MempoolFigures } from '../history.ts';
import type { CutLists } from '../reading/cut-lists.ts';
import type { SharedReaders } from '../reading/shared-readers.ts';

export interface RoutePorts {
  readonly services: Services;
  readonly readers: SharedReaders;
  readonly addresses: Addresses;
  readonly cutLists: CutLists;
  readonly guard: RequestGuard;
  /** Whether the node serves the page for browsers. */
  readonly hasPage: boolean;
  readonly series: ChainSeries;
  readonly attendance: AttendanceHistory;
  readonly mempoolFigures: MempoolFigures;
}

type StaticOf<S> = S extends TSchema ? Static<S> : undefined;
type Part<R, Name extends string> =
  R extends Readonly<Record<Name, infer S>> ? StaticOf<S> : undefined;

export interface RouteRequest<R extends Route> {
  readonly params: Part<R, 'params'>;
  readonly query: Part<R, 'query'>;
  /** A list of transactions where the route takes them as bytes, and they came so. */
  readonly body: Part<R, 'body'> | (R extends { bytes: object } ? readonly Uint8Array[] : never);
  /** The key that budgets of this client are counted under. */
  readonly client: string;
  /** The Accept header. */
  readonly accept: string | undefined;
}

type AnswerOf<R extends Route> = Answer<Static<R['answer']>>;

export type HandlerFor<R extends Route> = (
  ports: RoutePorts,
  request: RouteRequest<R>,
) => Promise<AnswerOf<R>> | AnswerOf<R>;

export type Handler<N extends RouteName> = HandlerFor<(typeof ROUTES)[N]>;

/**
 * The node that the HTTP API answers from. A development network keeps its API while it replaces its node: requests that
 * come in between wait for the next node, and a node is left once its last request is answered. It opens and closes
 * nothing of a node.
 */
export class ServedNode {
  #ports: RoutePorts | undefined;
  #last: RoutePorts | undefined;
  #next = Promise.withResolvers<void>();
  #answering = 0;
  #onIdle: (() => void) | undefined;

  /** What was served last, also after it was left. */
  get last(): RoutePorts {
    if (this.#last === undefined) throw new Error('no node has been served yet');
    return this.#last;
  }

  enter(ports: RoutePorts): void {
    this.#ports = ports;
    this.#last = ports;
    this.#next.resolve();
  }

  /** Holds back the requests to come; resolves when the earlier ones are answered, or after so many milliseconds. */
  async leave(millisMax: number): Promise<void> {
    if (this.#ports === undefined) return;
    this.#ports = undefined;
    this.#next = Promise.withResolvers();
    if (this.#answering === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    const timer = setTimeout(resolve, millisMax);
    await promise;
    clearTimeout(timer);
    this.#onIdle = undefined;
  }

  /** What a request is answered from: the node that is served, or the next one. It is held until `release`. */
  take(): RoutePorts | Promise<RoutePorts> {
    if (this.#ports === undefined) return this.#next.promise.then(() => this.take());
    this.#answering++;
    return this.#ports;
  }

  /** Must be called once for each `take`, when the request is answered. */
  release(): void {
    this.#answering--;
    if (this.#answering === 0) this.#onIdle?.();
  }
}

/** The answer of a document that names the finalized height it belongs to. */
export function finalizedAt<const Fields extends object>(
  height: number,
  fields: Fields,
  isFinal = false,
): Answer<{ readonly api_version: 1; readonly finalized_height: number } & Fields> {
  return { height, document: { api_version: 1, finalized_height: height, ...fields }, isFinal };
}
