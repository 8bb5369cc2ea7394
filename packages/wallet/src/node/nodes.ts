/**
 * The nodes that the wallet may use, and a client of the one that it uses now. Where a node conceals or invents something
 * the next one is asked, in their order and from the first again behind the last.
 */

import { ROUTES, type RouteName } from 'svc-api';
import { validatorOf } from 'svc-api/check';
import { type Client, ClientError, createClient } from 'svc-client';

export interface NodeOptions {
  readonly url: string;
  /** The identity that the node's answers must be signed with. */
  readonly identity?: string | undefined;
  readonly timeoutMillis?: number | undefined;
  readonly fetch?: typeof fetch;
}

const TIMEOUT_MILLIS = 10_000;

/** The client of a node, all of whose answers are checked against the contract. */
export function nodeClient({ fetch, identity, timeoutMillis, url }: NodeOptions): Client {
  return createClient({
    url,
    ...(fetch === undefined ? {} : { fetch }),
    ...(identity === undefined ? {} : { identity }),
    timeoutMillis: timeoutMillis ?? TIMEOUT_MILLIS,
    retry: { retries: 0 },
    check: checkAnswer,
  });
}

export class Nodes {
  /** Calls the node that is used now. */
  readonly client: Client;
  readonly #clients: readonly Client[];
  #at = 0;

  constructor(clients: readonly [Client, ...Client[]]) {
    this.#clients = clients;
    const [first] = clients;
    const members = Object.entries(first).map(([name, member]): [string, PropertyDescriptor] => {
      const ofNow = (): unknown => this.#now[name as keyof Client];
      const call = (...given: unknown[]): unknown => (ofNow() as typeof call)(...given);
      const isCall = typeof member === 'function';
      const how = isCall ? { value: call, writable: true } : { get: ofNow };
      return [name, { ...how, enumerable: true, configurable: true }];
    });
    this.client = Object.defineProperties({}, Object.fromEntries(members)) as Client;
  }

  get count(): number {
    return this.#clients.length;
  }

  /** Uses the next node; false where there is no other. */
  next(): boolean {
    this.#at = (this.#at + 1) % this.#clients.length;
    return this.#clients.length > 1;
  }

  get #now(): Client {
    return this.#clients[this.#at] as Client;
  }
}

export function checkAnswer(name: RouteName, document: unknown): void {
  const validator = validatorOf(ROUTES[name].answer);
  if (validator.Check(document)) return;
  const [fault] = validator.Errors(document);
  const where = fault === undefined ? '' : ` at ${fault.instancePath || '/'}: ${fault.message}`;
  throw new ClientError('bad_answer', `the node's answer to ${name} breaks the contract${where}`);
}
