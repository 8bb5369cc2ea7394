/**
 * A server of miners in this process with connections in memory, for the benchmark of shares: everything between the
 * bytes of a share and the bytes of its answer is the real thing, but for the sockets and the node.
 */
import { SILENT_LOG, Signal } from 'svc-base/pure';
import { ManualClock } from 'svc-base/testing';
import {
  encodeMessage,
  MessageStream,
  NONCE_BYTES,
  type Protocol,
  type ServerMessage,
} from 'svc-mining';
import { PowPeriods, type ProofOfWork } from 'svc-mining/pow';
import { type NodeState, Statistics, StratumServer, type TransportEvents } from 'svc-mining/server';
import { encodeAddress, toHex } from 'svc-wasm/base';

/** Seconds between two waves: the limits of a connection have room for a wave again after so long. */
const WAVE_MILLIS = 5_000;
const HEIGHT = 1;
const INTERVAL_CUTS = 1_440;
/** No hash meets it. */
const BLOCK_TARGET = '00'.repeat(32);

type Given = ServerMessage & { readonly type: 'notify' | 'subscribed' };

interface Client {
  readonly events: TransportEvents;
  readonly stream: MessageStream;
  readonly given: Map<Given['type'], Given>;
}

export interface SharesServerOptions {
  readonly protocol: Protocol;
  readonly connections: number;
  readonly check: ProofOfWork['check'];
}

export class SharesServer {
  readonly statistics: Statistics;
  readonly #protocol: Protocol;
  readonly #clock = new ManualClock();
  readonly #server: StratumServer;
  readonly #clients: Client[] = [];
  #isReading = true;
  #answers = 0;
  #next = 0;

  private constructor({ protocol, check }: SharesServerOptions) {
    this.#protocol = protocol;
    const clock = this.#clock;
    this.statistics = new Statistics(clock);
    const parameters = { network: 'development', interval: INTERVAL_CUTS } as const;
    const periods = new PowPeriods({ chainId: new Uint8Array(48), parameters });
    const pow: ProofOfWork = {
      mode: 'full',
      check,
      prepare: async () => {},
      close: async () => {},
    };
    const source = {
      height: HEIGHT,
      heights: new Signal<number>(),
      state: 'ready' as const,
      states: new Signal<NodeState>(),
      submit: async () => ({ result: 'accepted' }) as const,
      template: async () => TEMPLATE,
    };
    this.#server = new StratumServer(
      { source, pow, periods, statistics: this.statistics, clock, log: SILENT_LOG },
      { chain: CHAIN, vardiff: { start: 1n, least: 1n } },
    );
  }

  /** With all miners subscribed, authorized and given their job. */
  static async start(options: SharesServerOptions): Promise<SharesServer> {
    const server = new SharesServer(options);
    for (let number = 0; number < options.connections; number++) server.#connect(number);
    await new Promise(setImmediate);
    if (server.#clients.some(({ given }) => !given.has('notify')))
      throw new Error('a connection has no job');
    server.#isReading = false;
    return server;
  }

  /** The bytes of so many shares of each connection, none of them sent before. */
  makeWave(sharesEach: number): readonly (readonly Uint8Array[])[] {
    return this.#clients.map(({ given }) => {
      const { job } = given.get('notify') as Given & { readonly type: 'notify' };
      const { noncePrefix } = given.get('subscribed') as Given & { readonly type: 'subscribed' };
      return Array.from({ length: sharesEach }, () => {
        const id = ++this.#next;
        const nonce = new Uint8Array(NONCE_BYTES);
        new DataView(nonce.buffer).setUint32(0, id);
        nonce.set(noncePrefix, NONCE_BYTES - noncePrefix.length);
        return encodeMessage({ type: 'submit', id, job, nonce }, this.#protocol);
      });
    });
  }

  /** Sends a wave; resolves when every share is answered. */
  async send(wave: readonly (readonly Uint8Array[])[]): Promise<void> {
    this.#clock.advance(WAVE_MILLIS);
    this.#answers = 0;
    let sent = 0;
    for (const [place, shares] of wave.entries())
      for (const bytes of shares) {
        this.#clients[place]?.events.receive(bytes);
        sent++;
      }
    while (this.#answers < sent) await new Promise(setImmediate);
  }

  close(): void {
    this.#server.close();
  }

  #connect(number: number): void {
    const stream = new MessageStream(this.#protocol);
    const given: Client['given'] = new Map();
    const events = this.#server.accept({
      kind: 'tcp',
      remoteAddress: `10.0.0.${number % 250}`,
      unsent: 0,
      send: (bytes) => {
        this.#answers++;
        if (this.#isReading) keepGiven(stream, given, bytes);
      },
      close: () => {},
    });
    if (events === undefined) throw new Error('the server has no room');
    this.#clients.push({ events, stream, given });
    const say = (message: Parameters<typeof encodeMessage>[0]): void =>
      events.receive(encodeMessage(message, this.#protocol));
    say({ type: 'subscribe', id: 0, agent: 'bench' });
    say({ type: 'authorize', id: 1, username: `${ADDRESS}.rig${number}` });
  }
}

function keepGiven(stream: MessageStream, given: Client['given'], bytes: Uint8Array): void {
  for (const message of stream.push(bytes))
    if (message.type === 'notify' || message.type === 'subscribed')
      given.set(message.type, message);
}

const ADDRESS = encodeAddress(new Uint8Array(49), 'development');

const CHAIN = {
  api_version: 1,
  network: 'development',
  chain_id: '00'.repeat(48),
  finalized_height: HEIGHT,
  interval_cuts: INTERVAL_CUTS,
  pow: { cache_items: 4_093, dataset_pages: 131_071, period_cuts: 30 * INTERVAL_CUTS },
} as const;

const TEMPLATE = {
  api_version: 1,
  anchor: { height: HEIGHT, cut_id: '00'.repeat(48) },
  target: BLOCK_TARGET,
  registration_window_end: HEIGHT + 96,
  header_hex: toHex(new Uint8Array(312)),
  body_hex: '00',
} as const;
