/**
 * What outlives a connection: the session's nonce prefix, its open jobs with the share target that each was given
 * with, and its difficulty. A miner whose connection dropped gets these back with the session's token, as long as one
 * of the jobs is open. A session has one connection at a time; the newest takes it over.
 */
import { toHex } from 'svc-wasm/base';
import type { JobBook } from '../jobs/job-book.ts';
import type { NoncePrefixes } from '../jobs/nonce-prefixes.ts';
import { SESSION_BYTES } from '../wire/limits.ts';
import { GivenJobs } from './given-jobs.ts';
import type { Miner } from './username.ts';

export interface Session {
  readonly token: Uint8Array;
  readonly prefix: Uint8Array;
  readonly given: GivenJobs;
  miner: Miner | undefined;
  difficulty: bigint | undefined;
  /** The connection that has the session; what it is, is the server's business. */
  owner: object | undefined;
}

export interface SessionBookPorts {
  readonly jobs: JobBook;
  readonly prefixes: NoncePrefixes;
  /** Unpredictable bytes: a guessed token takes over a session. */
  random(length: number): Uint8Array;
}

export interface SessionBookOptions {
  /** Sessions without a connection that are remembered. */
  readonly detachedMax?: number;
}

const DETACHED_MAX = 16_384;

export class SessionBook {
  readonly #ports: SessionBookPorts;
  readonly #detachedMax: number;
  readonly #sessions = new Map<string, Session>();
  /** Tokens in the order in which their connections were lost. */
  readonly #detached = new Set<string>();

  constructor(ports: SessionBookPorts, { detachedMax = DETACHED_MAX }: SessionBookOptions = {}) {
    this.#ports = ports;
    this.#detachedMax = detachedMax;
  }

  get size(): number {
    return this.#sessions.size;
  }

  get detached(): number {
    return this.#detached.size;
  }

  /** Undefined if there is no prefix left. */
  open(owner: object): Session | undefined {
    const prefix = this.#ports.prefixes.allocate();
    if (prefix === undefined) return undefined;
    const token = this.#ports.random(SESSION_BYTES);
    const session: Session = {
      token,
      prefix,
      given: new GivenJobs(this.#ports.jobs),
      miner: undefined,
      difficulty: undefined,
      owner,
    };
    this.#sessions.set(toHex(token), session);
    return session;
  }

  /** Gives the session of the token to this owner; `before` is the connection that still had it, if any. */
  resume(
    token: Uint8Array,
    owner: object,
  ): { readonly session: Session; readonly before: object | undefined } | undefined {
    const key = toHex(token);
    const session = this.#sessions.get(key);
    if (session === undefined) return undefined;
    const before = session.owner;
    session.owner = owner;
    this.#detached.delete(key);
    return { session, before };
  }

  /** The connection is gone. Another one may have taken the session over before. */
  detach(session: Session, owner: object): void {
    if (session.owner !== owner) return;
    session.owner = undefined;
    const key = toHex(session.token);
    if (!session.given.hasOpen) {
      this.#remove(key, session);
      return;
    }
    this.#detached.add(key);
    for (const oldest of this.#detached) {
      if (this.#detached.size <= this.#detachedMax) break;
      this.#remove(oldest, this.#sessions.get(oldest) as Session);
    }
  }

  /** After the head moved: sessions without a connection end with their last job. */
  sweep(): void {
    for (const key of this.#detached) {
      const session = this.#sessions.get(key) as Session;
      if (!session.given.hasOpen) this.#remove(key, session);
    }
  }

  #remove(key: string, session: Session): void {
    this.#sessions.delete(key);
    this.#detached.delete(key);
    this.#ports.prefixes.release(session.prefix);
  }
}
