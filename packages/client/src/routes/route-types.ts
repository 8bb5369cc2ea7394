/**
 * The types of calls, taken from the contract: one object holds path parameters, query and body.
 */
import type { RouteAnswer, RouteInput, RouteName } from 'svc-api';

/** What a call takes; the version of the document is filled in. */
export type InputOf<N extends RouteName> = RouteInput<N>;

/** The document that a route answers. */
export type AnswerOf<N extends RouteName> = RouteAnswer<N>;

/** What every call takes beside its input. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Every route as a function; the input may be left out where nothing is required. */
export type RouteCalls = {
  readonly [N in RouteName]: Record<never, never> extends InputOf<N>
    ? (input?: InputOf<N>, options?: CallOptions) => Promise<AnswerOf<N>>
    : (input: InputOf<N>, options?: CallOptions) => Promise<AnswerOf<N>>;
};
