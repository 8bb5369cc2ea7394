/**
 * One event to thousands of sockets that are subscribed to `cuts`: how long until the last client has it, and
 * what a frame costs beside `send` of the WebSocket library, given an event that was serialised once. Clients
 * are in processes of their own; rounds alternate; the cost is the processor time of this process.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { ServicesFixture } from 'svc-node/testing';
import { type SocketPorts, SocketServer } from 'svc-serve';
import type { FinalizedCut } from 'svc-serve/ports';
import { init } from 'svc-wasm';
import { WebSocket, WebSocketServer } from 'ws';
import { type BenchOptions, formatTime, type Row } from './harness.ts';
import type { ClientsReport, ClientsTask } from './socket-clients.ts';

const CLIENTS = 5_000;
const SMOKE_CLIENTS = 50;
const ROUNDS = 24;
const DELIVERY_MILLIS_MAX = 250;
const BACKLOG = 4_096;
const REWARDED_BLOCKS = 3;
const SUBSCRIBE = '{"type":"subscribe","data":{"id":1,"topic":"cuts"}}';

/** A server that can send one event to all its clients. */
interface Contender {
  readonly server: Server;
  readonly task: Omit<ClientsTask, 'port' | 'clients'>;
  publish(): void;
  close(): Promise<void>;
}

function unused(): never {
  throw new Error('not asked for in this benchmark');
}

/** A cut of a real chain that pays the blocks of an anchor. */
async function rewardingCut({ chain }: ServicesFixture): Promise<FinalizedCut> {
  const blocks = Array.from({ length: REWARDED_BLOCKS }, () => chain.mine([]));
  let cut = await chain.cut(blocks);
  while (cut.result.events.rewards.length === 0) cut = await chain.cut();
  return cut;
}

function ourContender(services: ServicesFixture, cut: FinalizedCut, clients: number): Contender {
  let { height } = cut;
  const parts: SocketPorts = {
    services,
    guard: { admit: () => ({ admitted: true, client: 'clients' }) },
    clock: SYSTEM_CLOCK,
    read: unused,
    mempoolDocument: unused,
  };
  const sockets = new SocketServer(parts, {
    profile: 'public',
    mempoolTransactions: false,
    caps: { total: clients, perClient: clients },
  });
  const server = createServer();
  server.on('upgrade', (request, socket, head) => sockets.upgrade(request, socket, head));
  return {
    server,
    task: { path: '/v1/ws', subprotocol: 'svc.node-api.v1', first: SUBSCRIBE },
    publish: () => services.chain.finalized.emit({ ...cut, height: ++height }),
    close: () => sockets.close(),
  };
}

/** The frame that a subscriber of our server gets for the next event. */
async function frameOf({ server, task, publish }: Contender): Promise<Buffer> {
  const { port } = server.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}${task.path}`, task.subprotocol);
  const next = () => new Promise<string>((resolve) => client.once('message', resolve));
  await new Promise((resolve) => client.once('open', resolve));
  const subscribed = next();
  client.send(SUBSCRIBE);
  await subscribed;
  const event = next();
  publish();
  const frame = Buffer.from(await event);
  client.terminate();
  return frame;
}

/** The library's `send` of one text to all clients. */
function peerContender(event: Buffer): Contender {
  const server = createServer();
  const webSockets = new WebSocketServer({ server, perMessageDeflate: false });
  return {
    server,
    task: { path: '/', subprotocol: 'peer', first: undefined },
    publish() {
      for (const client of webSockets.clients) client.send(event, { binary: false });
    },
    async close() {
      for (const client of webSockets.clients) client.terminate();
    },
  };
}

/** A contender with its clients connected. */
class Race {
  readonly #contender: Contender;
  readonly #clients: number;
  readonly #child: ChildProcess;
  readonly deliveryMillis: number[] = [];
  #processorMicros = 0;
  #frames = 0;

  private constructor(contender: Contender, clients: number) {
    this.#contender = contender;
    this.#clients = clients;
    this.#child = fork(new URL('./socket-clients.ts', import.meta.url));
  }

  static async start(contender: Contender, clients: number): Promise<Race> {
    const { server, task } = contender;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', BACKLOG, resolve));
    const race = new Race(contender, clients);
    const { port } = server.address() as AddressInfo;
    const connected = race.#report();
    race.#child.send({ ...task, port, clients } satisfies ClientsTask);
    await connected;
    return race;
  }

  async round(): Promise<void> {
    const delivered = this.#report();
    const before = process.cpuUsage();
    const start = process.hrtime.bigint();
    this.#contender.publish();
    const report = await delivered;
    const { user, system } = process.cpuUsage(before);
    this.#processorMicros += user + system;
    this.#frames += this.#clients;
    if (report.type !== 'delivered') throw new Error('the clients are connected already');
    this.deliveryMillis.push(Number(BigInt(report.at) - start) / 1e6);
  }

  /** The bytes of one event, which all clients get as well. */
  async frame(): Promise<Buffer> {
    const delivered = this.#report();
    const frame = await frameOf(this.#contender);
    await delivered;
    return frame;
  }

  get nanosecondsPerFrame(): number {
    return (1_000 * this.#processorMicros) / this.#frames;
  }

  async close(): Promise<void> {
    this.#child.disconnect();
    await this.#contender.close();
    this.#contender.server.closeAllConnections();
    this.#contender.server.close();
  }

  #report(): Promise<ClientsReport> {
    return new Promise((resolve, reject) => {
      this.#child.once('message', (report) => {
        this.#child.off('exit', gone);
        resolve(report as ClientsReport);
      });
      const gone = () => reject(new Error('the clients are gone'));
      this.#child.once('exit', gone);
    });
  }
}

/** The least of all rounds counts, as for other times: the machine may be busy with others. */
function rows(ours: Race, peer: Race, clients: number): Row[] {
  const delivery = ({ deliveryMillis }: Race): string => {
    const sorted = deliveryMillis.toSorted((a, b) => a - b);
    const [least, median, most] = [0, sorted.length >> 1, sorted.length - 1].map((place) =>
      sorted[place]?.toFixed(0),
    );
    return `${least} ms least, ${median} ms median, ${most} ms most`;
  };
  return [
    {
      name: `sockets: an event to ${clients} subscriptions, processor time for a frame`,
      ours: `${formatTime(ours.nanosecondsPerFrame)} (framed once)`,
      peer: `${formatTime(peer.nanosecondsPerFrame)} (ws send)`,
      ratio: peer.nanosecondsPerFrame / ours.nanosecondsPerFrame,
      limit: 1.1,
    },
    {
      name: `sockets: time until the last of ${clients} has an event, beside ${DELIVERY_MILLIS_MAX} ms`,
      ours: delivery(ours),
      peer: `${delivery(peer)} (ws send)`,
      ratio: DELIVERY_MILLIS_MAX / Math.min(...ours.deliveryMillis),
      limit: 1,
    },
  ];
}

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  const clients = options.smoke ? SMOKE_CLIENTS : CLIENTS;
  const services = await ServicesFixture.create();
  const contender = ourContender(services, await rewardingCut(services), clients + 1);
  const ours = await Race.start(contender, clients);
  const peer = await Race.start(peerContender(await ours.frame()), clients);
  const rounds = options.smoke ? 2 : Math.ceil(ROUNDS * options.size);
  for (let i = 0; i < rounds; i++) {
    await ours.round();
    await peer.round();
  }
  await Promise.all([ours.close(), peer.close()]);
  await services.close();
  return rows(ours, peer, clients);
}
