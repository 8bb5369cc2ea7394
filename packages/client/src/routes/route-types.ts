/**
 * The types of calls, taken from the contract: one object holds path parameters, query and body.
 */
import type { ROUTES, RouteName } from 'svc-api';
import type { Static, TSchema } from 'svc-api/rpc';

type Part<
  N extends RouteName,
  Key extends 'params' | 'query' | 'body',
> = (typeof ROUTES)[N] extends {
  readonly [K in Key]: infer Schema extends TSchema;
}
  ? Static<Schema>
  : unknown;

/** What a call takes; the version of the document is filled in. */
export type InputOf<N extends RouteName> = Part<N, 'params'> &
  Part<N, 'query'> &
  Omit<Part<N, 'body'>, 'api_version'>;

export type AnswerOf<N extends RouteName> = Static<(typeof ROUTES)[N]['answer']>;

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Every route as a function; the input may be left out where nothing is required. */
export type RouteCalls = {
  readonly [N in RouteName]: Record<never, never> extends InputOf<N>
    ? (input?: InputOf<N>, options?: CallOptions) => Promise<AnswerOf<N>>
    : (input: InputOf<N>, options?: CallOptions) => Promise<AnswerOf<N>>;
};
