/**
 * Miners of the simulation: honest ones, whose links are slow and break, and liars.
 */
import {
  type ClientEffect,
  ClientSession,
  encodeMessage,
  hasPrefix,
  headerWith,
  MessageStream,
  type Notify,
  type Protocol,
} from 'svc-mining';
import { compareBytes, toHex } from 'svc-wasm/base';
import { addressOf } from '../samples.ts';
import { hashOf, type ServerLink, type World } from './world.ts';

const TRIES = 24;
/** Shares that a flooder sends in one go: many times what a server takes. */
const FLOOD = 40;

export class SimulatedMiner {
  readonly acknowledged: string[] = [];
  readonly isLiar: boolean;
  lost = 0;
  readonly #world: World;
  readonly #session: ClientSession;
  readonly #protocol: Protocol;
  readonly #sent: { readonly job: number; readonly nonce: Uint8Array }[] = [];
  #stream = new MessageStream();
  #server: ServerLink | undefined;
  #jobs: Notify[] = [];
  /** Bytes of a broken connection that are still on the way are dropped. */
  #connection = 0;

  constructor(world: World, number: number, isLiar: boolean) {
    this.#world = world;
    this.isLiar = isLiar;
    this.#protocol = number % 2 === 0 ? 'svc-mining-v1' : 'svc-mining-v2';
    this.#session = new ClientSession({
      agent: 'sim',
      username: `${addressOf(number % 17)}.rig${number}`,
      protocol: this.#protocol,
      host: 'server',
    });
    world.after(world.random.below(3_000), () => this.#connect());
    world.after(world.random.below(2_000), () => this.#act());
  }

  /** Ends broken links, so that every share gets its answer. */
  isCalm = false;

  get unanswered(): number {
    return this.#session.unanswered;
  }

  #connect(): void {
    if (this.#server !== undefined) return;
    const connection = ++this.#connection;
    const { random } = this.#world;
    const delay = random.pick([1, 20, 150, 900]);
    this.#stream = new MessageStream(this.#protocol);
    this.#server = this.#world.connect({
      protocol: this.#protocol,
      receive: (bytes) =>
        this.#world.after(delay, () => {
          if (connection === this.#connection) this.#receive(bytes);
        }),
      closed: () => {
        if (connection === this.#connection) this.#disconnect();
      },
    });
    this.#apply(this.#session.connect(this.#world.now));
  }

  #disconnect(): void {
    this.#connection++;
    const server = this.#server;
    this.#server = undefined;
    this.#session.disconnect();
    const { random } = this.#world;
    // Half-open: the server may learn of it late or only when the session is resumed.
    if (server !== undefined) this.#world.after(random.below(20_000), () => server.close());
    this.#world.after(random.below(4_000), () => this.#connect());
  }

  #receive(bytes: Uint8Array): void {
    for (const message of this.#stream.push(bytes))
      this.#apply(this.#session.receive(message, this.#world.now));
  }

  #apply(effects: readonly ClientEffect[]): void {
    for (const effect of effects) {
      if (effect.type === 'send') this.#send(encodeMessage(effect.message, this.#protocol));
      if (effect.type === 'subscribed' && !effect.answer.isResumed) this.#jobs = [];
      if (effect.type === 'job') this.#jobs = [...this.#jobs.slice(-3), effect.job];
      if (effect.type === 'lost') this.lost++;
      if (effect.type === 'answered' && effect.isAccepted)
        this.acknowledged.push(`${effect.share.job} ${toHex(effect.share.nonce)}`);
      if (effect.type === 'failed') this.#disconnect();
    }
  }

  /** In two pieces, as a network may deliver it. */
  #send(bytes: Uint8Array): void {
    const { random } = this.#world;
    const connection = this.#connection;
    const server = this.#server;
    const middle = random.below(bytes.length + 1);
    this.#world.after(random.pick([1, 20, 150]), () => {
      if (connection !== this.#connection) return;
      server?.receive(bytes.subarray(0, middle));
      server?.receive(bytes.subarray(middle));
    });
  }

  #act(): void {
    const { random } = this.#world;
    this.#world.after(200 + random.below(1_500), () => this.#act());
    if (this.#server !== undefined && !this.isCalm && random.chance(4)) {
      this.#disconnect();
      return;
    }
    const job = this.#jobs.length === 0 ? undefined : random.pick(this.#jobs);
    const prefix = this.#session.prefix;
    if (job === undefined || prefix === undefined || this.isCalm) return;
    if (this.isLiar) this.#lie(job, prefix);
    else this.#search(job, prefix);
  }

  #search(job: Notify, prefix: Uint8Array): void {
    for (let tries = 0; tries < TRIES; tries++) {
      const nonce = this.#world.random.bytes(24).slice();
      nonce.set(prefix, 20);
      if (compareBytes(hashOf(headerWith(job, nonce)), job.shareTarget) > 0) continue;
      this.#submit(job.job, nonce);
      return;
    }
  }

  #lie(job: Notify, prefix: Uint8Array): void {
    const { random } = this.#world;
    const nonce = random.bytes(24).slice();
    const kind = random.below(7);
    if (kind === 6) this.#flood(job, prefix);
    else if (kind === 0) this.#send(random.bytes(random.between(1, 64)).slice());
    else if (kind === 1) this.#submit(job.job ^ random.below(8), nonce);
    else if (kind === 2) {
      const before = this.#sent.at(-1);
      if (before !== undefined) this.#submit(before.job, before.nonce.slice());
    } else {
      nonce.set(prefix, 20);
      if (kind < 5) this.#submit(job.job, nonce);
      else this.#search(job, prefix);
    }
  }

  /** Past the session, which would send them no faster than servers take them. */
  #flood({ job }: Notify, prefix: Uint8Array): void {
    for (let id = 1; id <= FLOOD; id++) {
      const nonce = this.#world.random.bytes(24).slice();
      nonce.set(prefix, 20);
      this.#send(encodeMessage({ type: 'submit', id, job, nonce }, this.#protocol));
    }
  }

  #submit(job: number, nonce: Uint8Array): void {
    const prefix = this.#session.prefix as Uint8Array;
    const isOwn = hasPrefix(nonce, prefix);
    const share = { job, nonce };
    if (isOwn) this.#sent.push(share);
    this.#apply(this.#session.submit(share, this.#world.now));
  }
}
