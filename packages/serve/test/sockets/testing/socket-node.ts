/**
 * The sockets behind a real HTTP server on a port of its own, fed by a real chain and by signals that the
 * test emits.
 */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type {
  MempoolDocument,
  RatesDocument,
  SocketEndpoint,
  SyncDocument,
  TransactionStatusEntry,
} from 'svc-api';
import { type Clock, SILENT_LOG, Signal } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { RequestGuard } from '../../../src/http/guards/request-guard.ts';
import { PROFILE_LIMITS } from '../../../src/http/options.ts';
import type {
  PooledBlock,
  PooledTransaction,
  ReadPort,
  RemovedTransaction,
  SocketPorts,
} from '../../../src/ports.ts';
import { type SocketOptions, SocketServer } from '../../../src/sockets/socket-server.ts';
import { LadderChain } from './ladder-chain.ts';
import { TestClient } from './test-client.ts';

export const ADMITTED_ORIGIN = 'https://wallet.example';

export interface NodeSettings extends Partial<SocketOptions> {
  readonly height?: number;
  readonly cutMillis?: number;
  readonly read?: ReadPort;
  readonly clock?: Clock;
}

export class SocketNode {
  readonly chain: LadderChain;
  readonly added = new Signal<PooledTransaction>();
  readonly removed = new Signal<RemovedTransaction>();
  readonly accepted = new Signal<PooledBlock>();
  readonly changed = new Signal<string>();
  readonly statuses = new Map<string, TransactionStatusEntry>();
  mempool: MempoolDocument = {
    api_version: 1,
    finalized_height: 0,
    transactions: 0,
    bytes: 0,
    mass: '0',
    min_fee_per_mass: '1',
    max_fee_per_mass: null,
    oldest_millis: null,
  };
  rates: RatesDocument = {
    api_version: 1,
    finalized_height: 0,
    window_cuts: 0,
    window_millis: 0,
    hashrate: '0',
    target: 'ff'.repeat(32),
    registered_blocks: 0,
    blocks_per_cut: '0.000',
    cut_millis: 0,
    transactions: 0,
    transactions_per_second: '0.000',
  };
  sync: SyncDocument = {
    api_version: 1,
    synced: true,
    finalized_height: 0,
    best_peer_height: null,
    behind_by: 0,
    peers: 0,
  };
  origin = '';
  sockets!: SocketServer;
  readonly #clients: TestClient[] = [];
  /** The server's ends of connections, by the ports of the others. */
  readonly #ends = new Map<number | undefined, Socket>();

  constructor(chain: LadderChain) {
    this.chain = chain;
  }

  static async start(
    t: Pick<TestContext, 'after'>,
    settings: NodeSettings = {},
  ): Promise<SocketNode> {
    await init();
    const chain = await LadderChain.start(settings.cutMillis);
    await chain.climb(settings.height ?? 0);
    const node = new SocketNode(chain);
    await node.#listen(t, settings);
    return node;
  }

  async #listen(t: Pick<TestContext, 'after'>, settings: NodeSettings): Promise<void> {
    this.sockets = new SocketServer(this.#parts(settings), {
      profile: 'node',
      mempoolTransactions: true,
      ...settings,
    });
    const server = createServer((_, response) => response.writeHead(404).end());
    server.on('connection', (socket) => this.#ends.set(socket.remotePort, socket));
    server.on('upgrade', (request, socket, head) => this.sockets.upgrade(request, socket, head));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    t.after(async () => {
      for (const { webSocket } of this.#clients) webSocket.terminate();
      await this.sockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
  }

  #parts({ clock = SYSTEM_CLOCK, read }: NodeSettings): SocketPorts {
    const { accepted, added, chain, changed, removed, statuses } = this;
    return {
      services: {
        chain,
        mempool: { added, removed },
        blocks: { accepted },
        statuses: { changed, of: async (ids) => ids.map((id) => statuses.get(id) ?? null) },
        rates: { document: () => this.rates },
        sync: () => this.sync,
        log: SILENT_LOG,
      },
      clock,
      guard: new RequestGuard({
        hosts: [],
        browserOrigins: [ADMITTED_ORIGIN],
        trustedProxies: [],
        limits: PROFILE_LIMITS.node,
        clock: SYSTEM_CLOCK,
      }),
      read: read ?? (async (path) => ({ status: 200, body: JSON.stringify({ path }) })),
      mempoolDocument: () => this.mempool,
    };
  }

  async open(
    endpoint: SocketEndpoint,
    path?: string,
    options?: { headers?: Record<string, string> },
  ): Promise<TestClient> {
    const client = await TestClient.open(this.origin, endpoint, path, options);
    this.#clients.push(client);
    return client;
  }

  /** Waits until the server has read all that a client has sent. */
  async hasRead({ socket }: TestClient): Promise<void> {
    const end = this.#ends.get(socket.localPort);
    await until(() => end?.bytesRead === socket.bytesWritten, 'all that the client sent');
    await new Promise(setImmediate);
  }

  setStatus(status: TransactionStatusEntry): void {
    this.statuses.set(status.transaction_id, status);
    this.changed.emit(status.transaction_id);
  }
}
