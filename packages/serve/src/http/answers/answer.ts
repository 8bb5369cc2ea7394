/**
 * What a route answers: a document or text, and the finalized height that it belongs to; how it goes out, with the headers
 * that all answers of the route have in common; and how many rows fit into it.
 */
import type { Route } from 'svc-api';
import type { Outgoing } from './exchange.ts';
import {
  type CommonHeaders,
  cachingOf,
  commonHeaders,
  JSON_MEDIA,
  NO_STORE,
  TEXT_MEDIA,
} from './headers.ts';

export interface Answer<Document> {
  readonly height: number;
  readonly document?: Document;
  /** Instead of a document: the body as it is sent. */
  readonly text?: string;
  /** Whether the answer never changes again; only routes of the class `immutable` say so. */
  readonly isFinal?: boolean;
  /** Headers that differ from those of the route. */
  readonly headers?: Partial<CommonHeaders>;
}

/** Puts the headers of a route together once; the function it returns dresses each answer in them. */
export function outgoingOf(route: Route): (answer: Answer<unknown>) => Outgoing {
  const media = route.media === 'application/json' ? JSON_MEDIA : TEXT_MEDIA;
  const common = (isFinal: boolean) => ({ media, caching: cachingOf(route.caching, isFinal) });
  const final = commonHeaders(common(true));
  const passing = commonHeaders(common(false));
  const uncached = commonHeaders({ media, caching: NO_STORE });
  return (answer) => {
    const { height, headers: others } = answer;
    const isFinal = answer.isFinal === true;
    const body = answer.text ?? JSON.stringify(answer.document);
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

export const ANSWER_BYTES_MAX = 1 << 20;
/** Bytes kept free for the fields around the rows. */
const RESERVED_BYTES = 4_096;
/** No row is longer than 500 bytes, so that so many fit without being measured. */
const FITTING_ROWS = 2_048;

/** How many of the rows fit. */
export function fittingRows(rows: readonly object[]): number {
  if (rows.length <= FITTING_ROWS) return rows.length;
  let left = ANSWER_BYTES_MAX - RESERVED_BYTES;
  for (const [index, row] of rows.entries()) {
    left -= JSON.stringify(row).length + 1;
    if (left < 0) return index;
  }
  return rows.length;
}
