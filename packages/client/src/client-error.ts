/**
 * The error of the client. It names what became of the exchange between program and node.
 */

import { errorDocs } from 'svc-wasm/base';

/** What became of an exchange that failed. */
export type ClientErrorKind =
  /** The server answered with an error. */
  | 'refused'
  /** No answer came, and nothing was changed by asking. */
  | 'unreachable'
  /** A submission was sent and no answer came: ask for its status, never build it again. */
  | 'answer_lost'
  /** The answer is not signed by the pinned identity. */
  | 'unverified'
  /** The answer is not the document that the contract names. */
  | 'bad_answer'
  | 'aborted';

export interface ClientErrorOptions {
  readonly status?: number;
  readonly code?: string;
  readonly path?: string;
  readonly hint?: string;
  readonly retryAfterMillis?: number;
  readonly cause?: unknown;
}

/** What to do where neither the node nor the action says more. */
const HINTS: Readonly<Partial<Record<ClientErrorKind, string>>> = {
  unreachable: 'see that the node runs and that its address is right; asking again is safe',
  answer_lost: 'ask for the status of the transaction; never build it again',
  unverified: 'believe nothing of the answer; compare the pinned identity with that of the node',
  bad_answer: 'see that the address is that of a node, and that node and client are of one release',
};

/**
 * The one error of the client. `code` is that of the node or of the action, `hint` says what to do, `docs` is the page
 * and heading that explain it.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly kind: ClientErrorKind;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly path: string | undefined;
  readonly hint: string | undefined;
  readonly retryAfterMillis: number | undefined;
  readonly docs: string;

  constructor(kind: ClientErrorKind, message: string, options: ClientErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.status = options.status;
    this.code = options.code;
    this.path = options.path;
    this.hint = options.hint ?? HINTS[kind];
    this.retryAfterMillis = options.retryAfterMillis;
    const isOfNode = kind === 'refused' && options.status !== undefined;
    this.docs = errorDocs(isOfNode ? 'reference/http' : 'integrate/client');
  }
}

/** Whether the server said to come back later: the request was not carried out. */
export function isBusy(error: unknown): boolean {
  return error instanceof ClientError && (error.status === 429 || error.status === 503);
}
