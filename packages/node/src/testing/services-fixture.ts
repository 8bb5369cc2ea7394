/**
 * The services of a node for tests of its interfaces: a real chain, a real mempool that checks signatures in
 * this thread, and no peers.
 */
import type { RatesDocument, StatusDocument, SyncDocument, TroubleDocument } from 'svc-api';
import { type Clock, type Log, SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { NO_PEERS, type Services } from 'svc-serve/ports';
import { MemoryStore, proveAddress, proveOutput, proveTotals } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { verifyTransactionBytes } from 'svc-wasm/protocol';
import { identityOf } from '../identity/identity-file.ts';
import { TransactionPool } from '../mempool/transaction-pool.ts';
import { StatusTracker } from '../status/status-tracker.ts';
import { ChainFixture, type FixtureOptions } from './chain-fixture.ts';
import { FixtureBlocks } from './fixture-blocks.ts';

export interface ServicesOptions extends FixtureOptions {
  readonly clock?: Clock;
  readonly log?: Log;
}

export class ServicesFixture implements Services {
  readonly chain: ChainFixture;
  readonly mempool: TransactionPool;
  readonly blocks: FixtureBlocks;
  readonly statuses: StatusTracker;
  readonly proofs: Services['proofs'];
  readonly identity: Services['identity'];
  readonly relay = NO_PEERS;
  readonly clock: Clock;
  readonly log: Log;
  readonly version = '0.1.0-test';
  readonly rates = { document: (): RatesDocument => this.#rates() };
  isSynced = true;
  /** Troubles that refuse no request. */
  notes: readonly TroubleDocument[] = [];

  private constructor(chain: ChainFixture, mempool: TransactionPool, options: ServicesOptions) {
    this.chain = chain;
    this.mempool = mempool;
    this.blocks = new FixtureBlocks(chain);
    this.statuses = new StatusTracker({ chain, mempool, blocks: this.blocks });
    this.proofs = {
      output: (outpoint) => proveOutput(chain.store, outpoint),
      address: (address) => proveAddress(chain.store, address),
      totals: () => proveTotals(chain.store),
      cuts: (height, earlier) => chain.store.pastIds.prove(height, earlier),
    };
    this.identity = identityOf(new Uint8Array(32).fill(7));
    this.clock = options.clock ?? SYSTEM_CLOCK;
    this.log = options.log ?? SILENT_LOG;
  }

  static async create(options: ServicesOptions = {}): Promise<ServicesFixture> {
    const chain = await ChainFixture.create(options);
    const mempool = await TransactionPool.open({
      chain,
      workers: {
        hasRoom: () => true,
        room: async () => {},
        checkTransaction: async (request) => {
          const verdict = verifyTransactionBytes(request, chain.manifest);
          if (verdict.accepted) return null;
          const { code, message, path } = verdict.error;
          return { code, message, ...(path === undefined ? {} : { path }) };
        },
      },
      store: new MemoryStore(),
      clock: options.clock ?? SYSTEM_CLOCK,
      log: SILENT_LOG,
      onFatal: (error) => {
        throw error;
      },
    });
    return new ServicesFixture(chain, mempool, options);
  }

  troubles(): readonly TroubleDocument[] {
    const message = 'behind its peers by 7 cuts';
    const lags: TroubleDocument = { name: 'lagging', message, refuses_ready: true };
    return [...(this.isSynced ? [] : [lags]), ...this.notes];
  }

  sync(): SyncDocument {
    return {
      api_version: 1,
      synced: this.isSynced,
      finalized_height: this.chain.head.height,
      best_peer_height: null,
      behind_by: 0,
      peers: 0,
    };
  }

  status(): StatusDocument {
    const { head, manifest, chainId, retention } = this.chain;
    return {
      api_version: 1,
      version: this.version,
      network: manifest.network,
      chain_id: chainId,
      finalized_height: head.height,
      synced: this.isSynced,
      peers: this.relay.peers,
      mempool: { transactions: this.mempool.size, bytes: this.mempool.bytes },
      work_pool_blocks: this.blocks.size,
      storage_mode: retention.mode,
      uptime_seconds: 1,
      validator: null,
      troubles: [...this.troubles()],
      update_required: false,
      update_announced: false,
    };
  }

  async close(): Promise<void> {
    this.statuses.close();
    await this.mempool.close();
    await this.chain.close();
  }

  #rates(): RatesDocument {
    const { head, cuts } = this.chain;
    return {
      api_version: 1,
      finalized_height: head.height,
      window_cuts: 0,
      window_millis: 0,
      hashrate: '0',
      target: toHex(cuts.at(-1)?.header.workTarget ?? new Uint8Array(32)),
      registered_blocks: 0,
      blocks_per_cut: '0.000',
      cut_millis: 0,
      transactions: 0,
      transactions_per_second: '0.000',
    };
  }
}
