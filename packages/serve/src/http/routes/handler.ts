/**
 * What a route is made of on the side of the node: a function from a request that fits its schema to an
 * answer. It reads through `readers` only, so that an answer is of one height.
 */
import type { ROUTES, Route, RouteName } from 'svc-api';
import type { Static, TSchema } from 'typebox';
import type { Addresses } from '../../documents/addresses.ts';
import type { Services } from '../../ports.ts';
import type { Answer } from '../answers/answer.ts';
import type { RequestGuard } from '../guards/request-guard.ts';
import type { AttendanceHistory } from '../history/attendance-history.ts';
import type { ChainSeries } from '../history/chain-series.ts';
import type { MempoolFigures } from '../history/mempool-figures.ts';
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

export type AnswerOf<R extends Route> = Answer<Static<R['answer']>>;

export type HandlerFor<R extends Route> = (
  ports: RoutePorts,
  request: RouteRequest<R>,
) => Promise<AnswerOf<R>> | AnswerOf<R>;

export type Handler<N extends RouteName> = HandlerFor<(typeof ROUTES)[N]>;
