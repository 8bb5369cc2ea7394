/**
 * Everything around the mining listener for tests: a real chain, mempool, block pool and proof of work, and a
 * clock that is moved by hand.
 */
import { after, type TestContext } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock } from 'svc-base/testing';
import { PowPeriods } from 'svc-mining/pow';
import { MemoryStore } from 'svc-storage';
import { fromHex } from 'svc-wasm/base';
import { PoolKit } from '../../blocks/testing/pool-kit.ts';
import type { Random } from '../../mempool/select.ts';
import { TransactionPool } from '../../mempool/transaction-pool.ts';
import { SignatureWorkers } from '../../workers/signature-workers.ts';
import type { MiningPorts } from '../ports.ts';
import { CutRates } from '../rates.ts';
import type { Template } from '../template.ts';
import { type TemplatePorts, Templates } from '../templates.ts';

export interface MiningKit {
  readonly kit: PoolKit;
  readonly clock: ManualClock;
  readonly mempool: TransactionPool;
  /** What templates draw their anchors with: the newest unless a test says otherwise. */
  random: Random;
  readonly ports: MiningPorts & { readonly templates: Templates };
  behindBy: number;
  isOutdated: boolean;
  /** Takes a payment between accounts into the mempool; its id. */
  pay(from: number, fee?: bigint): Promise<string>;
  template(maxTransactions?: number, account?: number): Template;
}

function onFatal(error: Error): never {
  throw error;
}

/** Chains of the fixture have one genesis, so one thread checks signatures for all kits. */
let shared: Promise<SignatureWorkers> | undefined;
after(async () => (await shared)?.close());

function sharedWorkers(manifestJson: string): Promise<SignatureWorkers> {
  shared ??= SignatureWorkers.start({ manifestJson, threads: 1, log: SILENT_LOG, onFatal });
  return shared;
}

export async function createMiningKit(t: TestContext): Promise<MiningKit> {
  const clock = new ManualClock();
  let mempool: TransactionPool | undefined;
  const kit = await PoolKit.create(t, {
    clock,
    mempool: async (chain) => {
      const workers = await sharedWorkers(chain.manifest.json);
      const store = new MemoryStore();
      mempool = await TransactionPool.open({
        chain,
        workers,
        store,
        clock,
        log: SILENT_LOG,
        onFatal,
      });
      return mempool;
    },
  });
  const pool = mempool as TransactionPool;
  const { chain, anchors } = kit;
  const random: Random = { below: (limit) => mining.random.below(limit) };
  const templates = templatesOf(kit, { mempool: pool, clock, random });
  const rates = await CutRates.open(chain, anchors);
  const mining: MiningKit = {
    kit,
    clock,
    mempool: pool,
    random: { below: () => 0 },
    behindBy: 0,
    isOutdated: false,
    ports: {
      chain,
      templates,
      blocks: kit.pool,
      rates,
      isOutdated: () => mining.isOutdated,
      sync: () => ({
        api_version: 1,
        synced: mining.behindBy === 0,
        finalized_height: chain.head.height,
        best_peer_height: null,
        behind_by: mining.behindBy,
        peers: 0,
      }),
      clock,
      log: SILENT_LOG,
    },
    async pay(from, fee) {
      const wire = await chain.pay(from, chain.address((from + 1) % 10), 1_000n, fee);
      const admission = await pool.submit(wire, 'own');
      if (admission.type !== 'accepted') throw new Error(JSON.stringify(admission));
      return admission.id;
    },
    template(maxTransactions = 1_024, account = 8) {
      const made = templates.make({ payout: chain.address(account), maxTransactions });
      if (made === undefined) throw new Error('there is no template');
      return made;
    },
  };
  return mining;
}

function templatesOf(
  { chain, anchors, pool: blocks }: PoolKit,
  ports: Pick<TemplatePorts, 'mempool' | 'clock' | 'random'>,
): Templates {
  const { chainId, parameters } = chain;
  const periods = new PowPeriods({ chainId: fromHex(chainId), parameters });
  return new Templates({ ...ports, chain, anchors, blocks, periods });
}
