/**
 * A server in this process with a stub node behind it, and miners in front of it over transports in memory.
 */
import { after, type TestContext } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import {
  encodeMessage,
  type Message,
  MessageStream,
  type PendingShare,
  type ServerMessage,
} from 'svc-mining';
import { PowPeriods, type ProofOfWork } from 'svc-mining/pow';
import {
  BODY_CHARACTERS_MAX,
  Statistics,
  type StratumPorts,
  StratumServer,
  TemplateReader,
  WorkSource,
} from 'svc-mining/server';
import type { StubNode } from 'svc-mining/testing';
import { encodeAddress } from 'svc-wasm/base';

export interface KitOptions {
  readonly nodes: readonly StubNode[];
  readonly hash?: (header: Uint8Array) => Promise<Uint8Array>;
  readonly onShare?: StratumPorts['onShare'];
  readonly bodyCharactersMax?: number;
  /** Hashes of a share; every hash is one unless given. */
  readonly difficulty?: bigint;
}

export interface Kit {
  readonly server: StratumServer;
  readonly source: WorkSource;
  readonly statistics: Statistics;
  miner(remoteAddress?: string): MemoryMiner;
}

export function addressOf(number: number): string {
  const bytes = new Uint8Array(49);
  new DataView(bytes.buffer).setUint32(1, number);
  return encodeAddress(bytes, 'development');
}

/** One thread for the servers of all tests. */
const reader = new TemplateReader();
after(() => reader.close());

export async function startKit(
  t: TestContext,
  { nodes, hash, onShare, bodyCharactersMax = BODY_CHARACTERS_MAX, difficulty = 1n }: KitOptions,
): Promise<Kit> {
  const clock = SYSTEM_CLOCK;
  const log = SILENT_LOG;
  const source = new WorkSource({ clock, log, reader }, { nodes: nodes.map(({ url }) => url) });
  const chain = await source.start();
  const parameters = { network: 'development', interval: chain.interval_cuts } as const;
  const periods = new PowPeriods({ chainId: new Uint8Array(48).fill(7), parameters });
  const zero = async () => new Uint8Array(32);
  const pow: ProofOfWork = {
    mode: 'full',
    check: async (header) => ({ holds: true, result: await (hash ?? zero)(header) }),
    prepare: async () => {},
    close: async () => {},
  };
  const statistics = new Statistics(clock);
  const server = new StratumServer(
    { source, pow, periods, statistics, clock, log, ...(onShare === undefined ? {} : { onShare }) },
    { chain, vardiff: { start: difficulty, least: 1n }, bodyCharactersMax },
  );
  t.after(() => {
    source.close();
    server.close();
  });
  return {
    server,
    source,
    statistics,
    miner: (remoteAddress = '127.0.0.1') => new MemoryMiner(server, remoteAddress),
  };
}

/** The other end of a transport in memory. */
export class MemoryMiner {
  readonly received: ServerMessage[] = [];
  readonly isRefused: boolean;
  isClosed = false;
  unsent = 0;
  readonly #stream = new MessageStream('svc-mining-v1');
  readonly #events: ReturnType<StratumServer['accept']>;
  readonly #waiting = new Set<() => void>();
  #id = 10;

  constructor(server: StratumServer, remoteAddress: string) {
    const unsent = () => this.unsent;
    this.#events = server.accept({
      kind: 'tcp',
      remoteAddress,
      get unsent() {
        return unsent();
      },
      send: (bytes) => {
        for (const message of this.#stream.push(bytes))
          this.received.push(message as ServerMessage);
        this.#wake();
      },
      close: () => {
        this.isClosed = true;
        this.#wake();
      },
    });
    this.isRefused = this.#events === undefined;
  }

  say(message: Message): void {
    this.#events?.receive(encodeMessage(message, 'svc-mining-v1'));
  }

  sayRaw(bytes: Uint8Array): void {
    this.#events?.receive(bytes);
  }

  hangUp(): void {
    this.#events?.closed();
  }

  login(number: number, worker = 'rig', tag = ''): this {
    this.say({ type: 'subscribe', id: 1, agent: 'test', tag });
    this.say({ type: 'authorize', id: 2, username: `${addressOf(number)}.${worker}` });
    return this;
  }

  async job(holds: (job: ServerMessage & { type: 'notify' }) => boolean = () => true) {
    return this.seen('notify', holds);
  }

  /** A nonce of this connection for the job; the id of the request. */
  submit(job: number, number: number): number {
    const subscribed = this.received.find((each) => each.type === 'subscribed');
    const nonce = new Uint8Array(24);
    new DataView(nonce.buffer).setUint32(0, number);
    nonce.set((subscribed as ServerMessage & { type: 'subscribed' }).noncePrefix, 20);
    const id = ++this.#id;
    this.say({ type: 'submit', id, job, nonce });
    return id;
  }

  async answer(id: number): Promise<ServerMessage> {
    return this.#until((each) => 'id' in each && each.id === id);
  }

  async seen<T extends ServerMessage['type']>(
    type: T,
    holds: (message: ServerMessage & { type: T }) => boolean = () => true,
  ): Promise<ServerMessage & { type: T }> {
    const message = await this.#until(
      (each) => each.type === type && holds(each as ServerMessage & { type: T }),
    );
    return message as ServerMessage & { type: T };
  }

  async #until(holds: (message: ServerMessage) => boolean): Promise<ServerMessage> {
    for (;;) {
      const found = this.received.find(holds);
      if (found !== undefined) return found;
      if (this.isClosed) throw new Error('closed before it came');
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

export type { PendingShare };
