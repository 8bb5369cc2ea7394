/**
 * What a route's answers have in common, put together once for each route.
 */
import type { Route } from 'svc-api';
import { type Answer, bodyOf } from './answers/answer.ts';
import type { Outgoing } from './answers/exchange.ts';
import { cachingOf, commonHeaders, JSON_MEDIA, NO_STORE, TEXT_MEDIA } from './answers/headers.ts';

export function outgoingOf(route: Route): (answer: Answer<unknown>) => Outgoing {
  const media = route.media === 'application/json' ? JSON_MEDIA : TEXT_MEDIA;
  const common = (isFinal: boolean) => ({ media, caching: cachingOf(route.caching, isFinal) });
  const final = commonHeaders(common(true));
  const passing = commonHeaders(common(false));
  const uncached = commonHeaders({ media, caching: NO_STORE });
  return (answer) => {
    const { height, headers: others } = answer;
    const isFinal = answer.isFinal === true;
    const body = bodyOf(answer);
    if (others === undefined) {
      return { status: 200, body, height, headers: isFinal ? final : passing, uncached };
    }
    return {
      status: 200,
      body,
      height,
      headers: commonHeaders({ ...common(isFinal), ...others }),
      uncached: commonHeaders({ media, ...others, caching: NO_STORE }),
    };
  };
}
