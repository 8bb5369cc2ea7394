/**
 * Sends the calls of a client: builds the request, repeats it where that is safe, checks the signature of the
 * answer if an identity is pinned, and reads the document.
 */
import type { NodeIdentityDocument, RouteName } from 'svc-api';
import { fromHex } from 'svc-wasm';
import { ClientError } from '../client-error.ts';
import { makeRequest, type WireRequest } from '../routes/make-request.ts';
import type { AnswerOf, CallOptions } from '../routes/route-types.ts';
import type { Answer, Exchange } from './exchange.ts';
import { readAnswer } from './read-answer.ts';
import { type RetryPolicy, withRetries } from './retry.ts';
import {
  expectIdentity,
  nonceHeaders,
  type PinnedService,
  verifyAnswer,
} from './signed-answers.ts';

export interface TransportOptions {
  readonly url: string;
  readonly identity: string | undefined;
  readonly chainId: string | undefined;
  readonly exchange: Exchange;
  readonly timeoutMillis: number;
  readonly policy: RetryPolicy;
  /** Throws what is wrong with a document of a route. */
  readonly check: ((name: RouteName, document: unknown) => void) | undefined;
}

/** Answers the calls of a client: one node, or several. */
export interface Caller {
  call<N extends RouteName>(name: N, input: object, options?: CallOptions): Promise<AnswerOf<N>>;
}

/** Whether a call may change something, so that it is not repeated after a lost answer. */
export function isSubmission(name: RouteName): boolean {
  return name === 'transactionSubmit' || name === 'transactionsSubmit';
}

export class Transport implements Caller {
  readonly #options: TransportOptions;
  readonly #base: string;
  readonly #pathPrefix: string;
  #pinned: Promise<PinnedService> | undefined;

  constructor(options: TransportOptions) {
    const url = new URL(options.url);
    this.#options = options;
    this.#pathPrefix = url.pathname.replace(/\/+$/, '');
    this.#base = `${url.origin}${this.#pathPrefix}`;
  }

  get base(): string {
    return this.#base;
  }

  async call<N extends RouteName>(
    name: N,
    input: object,
    options: CallOptions = {},
  ): Promise<AnswerOf<N>> {
    const { identity, policy } = this.#options;
    const request = makeRequest(name, input);
    const pinned = identity === undefined ? undefined : await this.#pin(identity, options);
    const document = await withRetries(policy, isSubmission(name), options.signal, async () =>
      readAnswer(await this.#exchange(request, options, pinned)),
    );
    this.#options.check?.(name, document);
    return document as AnswerOf<N>;
  }

  async #exchange(
    request: WireRequest,
    { signal }: CallOptions,
    pinned: PinnedService | undefined,
  ): Promise<Answer> {
    const { exchange, timeoutMillis } = this.#options;
    const headers = pinned === undefined ? {} : nonceHeaders();
    const options = { headers, timeoutMillis, signal };
    const answer = await exchange(this.#base, request, options);
    if (pinned !== undefined) {
      const target = `${this.#pathPrefix}${request.target}`;
      verifyAnswer(request, target, answer, headers, pinned);
    }
    return answer;
  }

  /** Learns the public key behind the identity, once; a failure can be tried again. */
  #pin(identity: string, options: CallOptions): Promise<PinnedService> {
    this.#pinned ??= this.#learn(identity, options).catch((error: unknown) => {
      this.#pinned = undefined;
      throw error;
    });
    return this.#pinned;
  }

  async #learn(identity: string, options: CallOptions): Promise<PinnedService> {
    const read = <T>(name: RouteName): Promise<T> =>
      withRetries(this.#options.policy, false, options.signal, async () =>
        readAnswer(await this.#exchange(makeRequest(name, {}), options, undefined)),
      ) as Promise<T>;
    const { public_key } = await read<NodeIdentityDocument>('nodeIdentity');
    let publicKey: Uint8Array;
    try {
      publicKey = fromHex(public_key);
    } catch (cause) {
      throw new ClientError('unverified', 'the server names no public key', { cause });
    }
    const publicKeyHex = expectIdentity(public_key, publicKey, identity);
    const chainId =
      this.#options.chainId ?? (await read<AnswerOf<'chainHead'>>('chainHead')).chain_id;
    return { identity, publicKeyHex, chainId };
  }
}
