/**
 * What a route answers: a document or text, and the finalized height that it belongs to.
 */
export interface Answer<Document> {
  readonly height: number;
  readonly document?: Document;
  /** Instead of a document: the body as it is sent. */
  readonly text?: string;
  /** Of the body, where it is another than that of the route. */
  readonly media?: string;
  /** Whether the answer never changes again; only routes of the class `immutable` say so. */
  readonly isFinal?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export function bodyOf({ text, document }: Answer<unknown>): string {
  return text ?? JSON.stringify(document);
}
