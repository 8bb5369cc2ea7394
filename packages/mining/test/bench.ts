/**
 * A server's books and sessions on them, for tests.
 */
import {
  type Job,
  JobBook,
  JobSeries,
  NoncePrefixes,
  ServerSession,
  type ServerSessionOptions,
  SessionBook,
  targetOf,
} from 'svc-mining';
import { addressOf, CHAIN_ID, NETWORK, POW } from './samples.ts';

export class Bench {
  readonly jobs: JobBook = new JobBook();
  readonly #series = new JobSeries();
  readonly prefixes: NoncePrefixes = new NoncePrefixes();
  readonly sessions: SessionBook;
  readonly #options: ServerSessionOptions;
  #tokens = 0;

  constructor(options: Partial<ServerSessionOptions> = {}) {
    this.#options = {
      network: NETWORK,
      chainId: CHAIN_ID,
      vardiff: { start: 16n, least: 1n },
      ...options,
    };
    const { jobs, prefixes } = this;
    const random = (length: number) => this.#token(++this.#tokens, length);
    this.sessions = new SessionBook({ jobs, prefixes, random });
  }

  /** The token of the session that was opened last. */
  get lastToken(): Uint8Array {
    return this.#token(this.#tokens, 16);
  }

  session(owner: object = {}, nowMillis = 0): ServerSession {
    const { jobs, sessions } = this;
    return new ServerSession({ jobs, sessions, pow: () => POW }, this.#options, owner, nowMillis);
  }

  /** A session of a miner that is subscribed and authorized. */
  ready(
    miner: number,
    more: { readonly resume?: Uint8Array } = {},
    owner: object = {},
  ): ServerSession {
    const session = this.session(owner);
    session.receive({ type: 'subscribe', id: 1, agent: 'test', ...more }, 0);
    session.receive({ type: 'authorize', id: 2, username: `${addressOf(miner)}.rig` }, 0);
    return session;
  }

  job(anchorHeight: number): Job {
    const header = new Uint8Array(312);
    header.fill(this.jobs.size + 1, 0, 288);
    const window = { anchorHeight, expiresHeight: anchorHeight + 96, period: 0 };
    return this.jobs.add({ header, blockTarget: targetOf(1n << 20n), ...window }, this.#series);
  }

  /** A nonce with the prefix of the session. */
  nonce(session: ServerSession, number: number): Uint8Array {
    const nonce = new Uint8Array(24);
    new DataView(nonce.buffer).setUint32(0, number);
    nonce.set(session.prefix as Uint8Array, 20);
    return nonce;
  }

  #token(number: number, length: number): Uint8Array {
    const token = new Uint8Array(length);
    new DataView(token.buffer).setUint32(0, number);
    return token;
  }
}
