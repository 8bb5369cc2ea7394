/**
 * A simple miner for tests: a real socket, the session of `svc-mining`, and a search with the cache alone on the small
 * dataset of a development network.
 */
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import {
  type ClientEffect,
  ClientSession,
  encodeMessage,
  type FoundShare,
  type Message,
  MessageStream,
  type Notify,
  type Protocol,
} from 'svc-mining';
import { LightPow, PowPeriods } from 'svc-mining/pow';
import { WebSocket } from 'ws';

export type Way =
  | { readonly type: 'tcp'; readonly port: number }
  | { readonly type: 'tls'; readonly port: number; readonly ca: string }
  | { readonly type: 'ws'; readonly port: number; readonly origin?: string };

export interface TestMinerOptions {
  readonly way: Way;
  readonly protocol: Protocol;
  readonly username: string;
  readonly tag?: string;
  readonly intervalCuts: number;
}

type Answered = ClientEffect & { readonly type: 'answered' };

const NONCES = 512;
const HOST = '127.0.0.1';
/** Tests submit as fast as they like, to see what the server says. */
const PACE = { perSecond: 1_000_000, burst: 1_000_000 };

interface Wire {
  send(bytes: Uint8Array): void;
  close(): void;
}

export class TestMiner {
  readonly effects: ClientEffect[] = [];
  readonly #options: TestMinerOptions;
  readonly #session: ClientSession;
  readonly #waiting = new Set<() => void>();
  #wire: Wire | undefined;
  #searcher: LightPow | undefined;
  #job: Notify | undefined;
  #start = 0n;
  #connections = 0;
  isClosed = false;

  constructor(options: TestMinerOptions) {
    const { protocol, username, tag = '' } = options;
    this.#options = options;
    this.#session = new ClientSession({
      agent: 'test',
      username,
      tag,
      protocol,
      host: HOST,
      pace: PACE,
    });
  }

  get job(): Notify | undefined {
    return this.#job;
  }

  async connect(): Promise<void> {
    const stream = new MessageStream(this.#options.protocol);
    const number = ++this.#connections;
    this.isClosed = false;
    this.#wire = await openWire(this.#options.way, {
      receive: (bytes) => {
        for (const message of stream.push(bytes)) this.#receive(message);
      },
      closed: () => {
        if (number !== this.#connections) return;
        this.isClosed = true;
        this.#session.disconnect();
        this.#wake();
      },
    });
    this.#apply(this.#session.connect(performance.now()));
  }

  /** Waits for an effect that came or comes; fails if the connection ends before. */
  async seen<T extends ClientEffect['type']>(
    type: T,
    holds: (effect: ClientEffect & { readonly type: T }) => boolean = () => true,
  ): Promise<ClientEffect & { readonly type: T }> {
    for (;;) {
      const found = this.effects.find(
        (effect): effect is ClientEffect & { readonly type: T } =>
          effect.type === type && holds(effect as ClientEffect & { readonly type: T }),
      );
      if (found !== undefined) return found;
      if (this.isClosed)
        throw new Error(
          `closed before ${type}: ${JSON.stringify(this.effects.map((each) => each.type))}`,
        );
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Searches the newest job until a nonce meets its block target; the answer of the server to it. */
  async mineBlock(): Promise<Answered> {
    const { job, nonce } = await this.findBlock();
    return this.submit(job, nonce);
  }

  /** Searches the newest job until a nonce meets its block target, and submits nothing. */
  async findBlock(): Promise<FoundShare> {
    const job = (await this.seen('job')) && (this.#job as Notify);
    const header = job.header.slice();
    header.set(this.#session.prefix as Uint8Array, 308);
    for (;;) {
      const { done, nonce } = await (this.#searcher as LightPow).search(
        header,
        this.#start,
        NONCES,
      );
      this.#start += BigInt(done);
      if (nonce !== null) return { job: job.job, nonce };
    }
  }

  submit(job: number, nonce: Uint8Array): Promise<Answered> {
    const share = { job, nonce };
    this.#apply(this.#session.submit(share, performance.now()));
    return this.seen('answered', (effect) => effect.share === share);
  }

  /** A nonce that this session may use, whatever its hash is. */
  nonceOf(number: number): Uint8Array {
    const nonce = new Uint8Array(24);
    new DataView(nonce.buffer).setUint32(0, number);
    nonce.set(this.#session.prefix as Uint8Array, 20);
    return nonce;
  }

  /** Bytes of any kind, as a liar sends them. */
  sendRaw(bytes: Uint8Array): void {
    this.#wire?.send(bytes);
  }

  /** Drops the connection; the session can go on over the next. */
  drop(): void {
    this.#wire?.close();
    this.#session.disconnect();
  }

  async close(): Promise<void> {
    this.drop();
    await this.#searcher?.close();
  }

  #receive(message: Message): void {
    this.#apply(this.#session.receive(message, performance.now()));
  }

  #apply(effects: readonly ClientEffect[]): void {
    for (const effect of effects) {
      if (effect.type === 'send') {
        this.#wire?.send(encodeMessage(effect.message, this.#options.protocol));
        continue;
      }
      this.effects.push(effect);
      if (effect.type === 'job') this.#job = effect.job;
      if (effect.type === 'subscribed') {
        const { chainId, network } = effect.answer;
        const parameters = { network, interval: this.#options.intervalCuts };
        this.#searcher ??= new LightPow(new PowPeriods({ chainId, parameters }));
      }
    }
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

interface WireEvents {
  receive(bytes: Uint8Array): void;
  closed(): void;
}

function openWire(way: Way, events: WireEvents): Promise<Wire> {
  if (way.type === 'ws') return openWebSocket(way, events);
  return new Promise((resolve, reject) => {
    const { port } = way;
    const socket =
      way.type === 'tcp'
        ? connect({ host: HOST, port })
        : connectTls({ host: HOST, port, ca: way.ca });
    socket.on('error', reject);
    socket.on('data', (bytes: Buffer) => events.receive(bytes));
    socket.on('close', () => events.closed());
    socket.once(way.type === 'tcp' ? 'connect' : 'secureConnect', () =>
      resolve({ send: (bytes) => void socket.write(bytes), close: () => socket.destroy() }),
    );
  });
}

function openWebSocket(way: Way & { readonly type: 'ws' }, events: WireEvents): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const options = way.origin === undefined ? {} : { origin: way.origin };
    const socket = new WebSocket(`ws://${HOST}:${way.port}/`, 'svc-mining-v1', options);
    socket.on('error', reject);
    socket.on('message', (text: Buffer) => events.receive(Buffer.concat([text, Buffer.of(10)])));
    socket.on('close', () => events.closed());
    socket.on('open', () =>
      resolve({
        send: (bytes) => socket.send(Buffer.from(bytes.subarray(0, -1)).toString('utf8')),
        close: () => socket.terminate(),
      }),
    );
  });
}
