/**
 * A node with a chain on the disk, a real mempool that checks signatures in this thread, blocks without proof of
 * work, and peers over loopback.
 */
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory } from 'svc-base/testing';
import type { Genesis } from 'svc-ledger';
import { HOST_LIMITS } from 'svc-network';
import { MemoryStore, type StorageMode } from 'svc-storage';
import { verifyTransactionBytes } from 'svc-wasm/protocol';
import { ChainCore, type ChainOptions, type CutToInstall } from '../../chain/chain-core.ts';
import { TransactionPool } from '../../mempool/transaction-pool.ts';
import type { ChainFixture } from '../../testing/chain-fixture.ts';
import { MemoryBlocks } from '../../testing/cluster-blocks.ts';
import { KeptStates } from '../kept-states.ts';
import { PeerNetwork } from '../peer-network.ts';

export class NetworkNode {
  readonly chain: ChainCore;
  readonly mempool: TransactionPool;
  readonly blocks: MemoryBlocks;
  readonly network: PeerNetwork;
  readonly states: KeptStates;
  readonly fatal: unknown[];

  private constructor(
    parts: Pick<NetworkNode, 'chain' | 'mempool' | 'blocks' | 'network' | 'states' | 'fatal'>,
  ) {
    this.chain = parts.chain;
    this.mempool = parts.mempool;
    this.blocks = parts.blocks;
    this.network = parts.network;
    this.states = parts.states;
    this.fatal = parts.fatal;
  }

  static async start(
    t: Pick<TestContext, 'after'>,
    genesis: Genesis,
    bootstrap: readonly string[] = [],
    directory: string = temporaryDirectory(),
    mode: StorageMode = 'archive',
    stateEveryCuts = 0,
    more: Pick<ChainOptions, 'parameters' | 'log'> = { log: SILENT_LOG },
  ): Promise<NetworkNode> {
    const fatal: unknown[] = [];
    const onFatal = (error: unknown): void => void fatal.push(error);
    const shared = { clock: SYSTEM_CLOCK, ...more, onFatal };
    const chain = await ChainCore.open({
      ...shared,
      directory: join(directory, 'chain'),
      genesis,
      mode,
      cacheBytes: 1 << 20,
    });
    const workers = {
      hasRoom: () => true,
      room: async () => {},
      checkTransaction: async (request: Parameters<typeof verifyTransactionBytes>[0]) => {
        const verdict = verifyTransactionBytes(request, chain.manifest);
        if (verdict.accepted) return null;
        const { code, message } = verdict.error;
        return { code, message };
      },
    };
    const store = new MemoryStore();
    const mempool = await TransactionPool.open({ ...shared, chain, workers, store });
    const blocks = new MemoryBlocks(chain, SYSTEM_CLOCK);
    chain.useBlocks(blocks);
    const states = await KeptStates.open(
      { chain, directory: join(directory, 'states'), isSynced: () => true, log: SILENT_LOG },
      { everyCuts: stateEveryCuts },
    );
    const network = await PeerNetwork.open({
      states,
      chain,
      mempool,
      blocks,
      network: {
        directory: join(directory, 'network'),
        listenHosts: ['127.0.0.1'],
        port: 0,
        allowPrivateAddresses: true,
        limits: { ...HOST_LIMITS, inboundPerSecond: 100 },
        bootstrap,
        log: more.log,
      },
    });
    await network.start();
    const node = new NetworkNode({ chain, mempool, blocks, network, states, fatal });
    t.after(() => node.close());
    return node;
  }

  get address(): string {
    return this.network.addresses[0] as string;
  }

  async close(): Promise<void> {
    await this.network.close();
    await this.states.close();
    await this.mempool.close();
    await this.chain.close();
  }
}

/** What a peer would send of a cut of the fixture. */
export async function packed(fixture: ChainFixture, height: number): Promise<CutToInstall> {
  const reader = fixture.reader();
  try {
    const cut = fixture.cuts[height - 1];
    const body = await reader.cutBody(height);
    if (cut === undefined || body === undefined) throw new Error(`there is no cut ${height}`);
    const blocks = await Promise.all(
      cut.input.registered.map(async ({ id }) => ({
        id,
        header: (await reader.blockHeader(id)) as Uint8Array,
        body: (await reader.blockBody(id)) as Uint8Array,
      })),
    );
    return { header: cut.headerBytes, body, certificate: cut.certificate, blocks };
  } finally {
    await reader.close();
  }
}

export async function until(
  condition: () => boolean,
  what: string,
  timeoutMillis = 120_000,
): Promise<void> {
  const end = Date.now() + timeoutMillis;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`timed out waiting for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
