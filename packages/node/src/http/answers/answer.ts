/**
 * What a route answers: a document or text, and the finalized height that it belongs to.
 */
import type { CommonHeaders } from './headers.ts';

export interface Answer<Document> {
  readonly height: number;
  readonly document?: Document;
  /** Instead of a document: the body as it is sent. */
  readonly text?: string;
  /** Whether the answer never changes again; only routes of the class `immutable` say so. */
  readonly isFinal?: boolean;
  /** Where they are others than those of the route. */
  readonly headers?: Partial<CommonHeaders>;
}

export function bodyOf({ text, document }: Answer<unknown>): string {
  return text ?? JSON.stringify(document);
}
