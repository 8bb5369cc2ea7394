/**
 * Who may call. Web pages may not: neither a page of another origin, nor a name that was bound anew to this machine, nor
 * a form, and none of these can be made to pass by the page's own code. Others need a token, which travels in the header
 * alone, is compared without telling how much of it was right, and costs time if it is wrong: wrong ones are answered
 * one after another, however many come at once. A right token never waits for wrong ones: it has 256 random bits, so
 * that it cannot be guessed, and a caller who guesses must not keep others out.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import type { Scope } from 'svc-api/rpc';
import { type Clock, type Log, messageOf, sleep } from 'svc-base/pure';
import type { FileRefusal } from '../errors.ts';
import { digestOf } from '../file/token.ts';
import type { TokenRecord, TokenStore } from '../file/token-store.ts';
import type { Caller } from '../journal/limits.ts';

/** What a token allows. */
export interface Grant extends Caller {
  readonly scopes: readonly Scope[];
  /** SHA-256 of the token. */
  readonly digest: Buffer;
  /** Whether the token was not revoked since. Every call asks, and every payment once more. */
  isValid(): boolean;
}

/** The tokens that are valid now, each with its grant; a grant stays the same object for as long as it is valid. */
export type Grants = () => readonly Grant[];

const BEARER = /^Bearer ([!-~]{1,256})$/i;
const DELAY_MILLIS = 250;
const DELAY_MILLIS_MAX = 2_000;
const FORGET_AFTER_MILLIS = 60_000;
/** While so many wrong tokens wait for their answer, a further one is refused at once. */
const GUESSES_MAX = 64;

export class AccessControl {
  readonly #grants: Grants;
  readonly #clock: Clock;
  #failures = 0;
  #wrongTokens = 0;
  #failedAtMillis = 0;
  #guesses = 0;
  /** When the answer to the last wrong token is due. */
  #lastAnswer: Promise<void> = Promise.resolve();

  constructor(grants: Grants, clock: Clock) {
    this.#clock = clock;
    this.#grants = grants;
  }

  /** How many requests had no valid token, since the daemon started. */
  get wrongTokens(): number {
    return this.#wrongTokens;
  }

  /** What the token allows; undefined for a wrong or missing one, which only `check` may answer. */
  find(authorization: string | undefined): Grant | undefined {
    const given = BEARER.exec(authorization ?? '')?.[1];
    return given === undefined ? undefined : this.#grantOf(digest(given));
  }

  /**
   * Returns what the token allows, at once. Returns undefined for a wrong or missing token, after those before
   * it were answered and a delay that grows with repeated failures; `busy` while too many of them wait.
   */
  async check(authorization: string | undefined): Promise<Grant | 'busy' | undefined> {
    const found = this.find(authorization);
    if (found !== undefined) return found;
    this.#wrongTokens++;
    return this.#guesses >= GUESSES_MAX ? 'busy' : await this.#answerWrong();
  }

  async #answerWrong(): Promise<undefined> {
    const before = this.#lastAnswer;
    const wait = async (): Promise<void> => {
      await before;
      await sleep(this.#clock, this.#delay());
    };
    this.#guesses++;
    this.#lastAnswer = wait();
    await this.#lastAnswer;
    this.#guesses--;
  }

  #grantOf(given: Buffer): Grant | undefined {
    let found: Grant | undefined;
    for (const grant of this.#grants()) {
      if (timingSafeEqual(given, grant.digest)) found ??= grant;
    }
    return found;
  }

  #delay(): number {
    const now = this.#clock.now();
    if (now - this.#failedAtMillis > FORGET_AFTER_MILLIS) this.#failures = 0;
    this.#failedAtMillis = now;
    this.#failures++;
    return Math.min(DELAY_MILLIS_MAX, DELAY_MILLIS * this.#failures);
  }
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

interface GuardOptions {
  /** Where the daemon listens. */
  readonly port: number;
  readonly isRemote: boolean;
  /** Names under which a proxy with TLS serves the daemon, as `asHostName` writes them. */
  readonly hostNames: readonly string[];
  /** Whether the daemon's own certificate is for a name; undefined if the daemon has none. */
  readonly isCertified: ((hostName: string) => boolean) | undefined;
}

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::([0-9]{1,5}))?$/;

export function guard(
  request: Pick<IncomingMessage, 'headers'>,
  options: GuardOptions,
): Refusal | undefined {
  if (!isOwnHost(request.headers.host, options)) {
    return {
      status: 403,
      code: 'host_not_allowed',
      message: 'the Host header names no host of this daemon',
      hint: 'call it as 127.0.0.1, or name the host with --host-name',
    };
  }
  if (request.headers.origin !== undefined) {
    return {
      status: 403,
      code: 'origin_not_allowed',
      message: 'web pages may not call the daemon',
    };
  }
  return undefined;
}

function isOwnHost(
  header: string | undefined,
  { hostNames, isCertified, isRemote, port }: GuardOptions,
): boolean {
  const match = HOST.exec(header?.toLowerCase() ?? '');
  if (match === null) return false;
  const [, name = '', given] = match;
  if (hostNames.includes(name)) return true;
  if (Number(given ?? (isCertified === undefined ? 80 : 443)) !== port) return false;
  if (LOOPBACK_NAMES.includes(name) || isCertified?.(name) === true) return true;
  // A page can bind its own name to any address, and it cannot send an address in place of its name. Without a certificate
  // an address leads past the proxy that speaks TLS, which is known by its name.
  return isRemote && isCertified !== undefined && isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}

/** A name of a host as its requests are compared with: in lower case, an address of IPv6 in brackets. */
export function asHostName(given: string): string {
  const name = given.toLowerCase();
  return isIPv6(name) ? `[${name}]` : name;
}

interface FileTokens {
  readonly full: string;
  /** The token that allows reading only, if there is one. */
  readonly read: string | null;
}

/** Throws if a token of the store cannot be read; one that goes bad later allows nothing, and the log says so. */
export function openGrants({ full, read }: FileTokens, store: TokenStore, log: Log): Grants {
  const own: Grant[] = [
    fileGrant('main', 'everything', full),
    ...(read === null ? [] : [fileGrant('read', 'read', read)]),
  ];
  const made = new WeakMap<TokenRecord, Grant>();
  const told = new Set<string>();
  const tell = (error: FileRefusal): void => {
    if (told.has(error.path)) return;
    told.add(error.path);
    log.error({ error: error.message }, 'a token cannot be read and allows nothing');
  };
  const grantOf = (record: TokenRecord): Grant => {
    const { digest, limits, name, scopes } = record;
    const known = made.get(record);
    if (known !== undefined) return known;
    const grant: Grant = {
      ...{ name, scopes, limits, digest: Buffer.from(digest, 'hex') },
      isValid: () => present().includes(grant),
    };
    made.set(record, grant);
    return grant;
  };
  store.list((error) => {
    throw error;
  });
  let isListed = true;
  const list = (): readonly Grant[] => {
    try {
      const grants = [...own, ...store.list(tell).map(grantOf)];
      isListed = true;
      return grants;
    } catch (error) {
      // The tokens of the files stay valid, so that the operator is not locked out as well. Every request comes here.
      const fields = { error: messageOf(error) };
      if (isListed) log.error(fields, 'tokens cannot be listed and allow nothing now');
      isListed = false;
      return own;
    }
  };
  const present = oncePerRun(list);
  return list;
}

/** The same answer until what runs now has ended: a call and the payments of a group look at the store once. */
function oncePerRun<T>(look: () => T): () => T {
  let seen: { readonly value: T } | undefined;
  return () => {
    if (seen === undefined) {
      seen = { value: look() };
      queueMicrotask(() => {
        seen = undefined;
      });
    }
    return seen.value;
  };
}

function fileGrant(name: string, scope: Scope, token: string): Grant {
  const digest = Buffer.from(digestOf(token), 'hex');
  return { name, scopes: [scope], limits: null, digest, isValid: () => true };
}
