/**
 * A chain, a wallet, workers and a mempool for one test file. Workers are started once and shared.
 */
import { type KeyValueStore, MemoryStore } from 'svc-storage';
import { init } from 'svc-wasm';
import { SILENT } from '../../../src/base/log.ts';
import { type MempoolPorts, TransactionPool } from '../../../src/mempool/transaction-pool.ts';
import { SignatureWorkers } from '../../../src/workers/signature-workers.ts';
import { TestChain } from './test-chain.ts';
import { TestClock } from './test-clock.ts';
import { TestWallet } from './test-wallet.ts';

export interface Setting {
  readonly wallet: TestWallet;
  readonly chain: TestChain;
  readonly clock: TestClock;
  readonly fatal: Error[];
  open(options?: Partial<MempoolPorts>): Promise<TransactionPool>;
}

export async function startWorkers(setting: { chain: TestChain }): Promise<SignatureWorkers> {
  return SignatureWorkers.start({
    manifestJson: setting.chain.manifest.json,
    threads: 2,
    log: SILENT,
    onFatal: (error) => {
      throw error;
    },
  });
}

export async function createSetting(
  options: { accounts?: number; coinsEach?: number; paceMillis?: number } = {},
): Promise<Setting & { workers: () => Promise<SignatureWorkers> }> {
  await init();
  const wallet = new TestWallet(options.accounts ?? 4, options.coinsEach ?? 8);
  const chain = await TestChain.start(wallet.genesis(options.paceMillis));
  wallet.manifest = chain.manifest;
  const clock = new TestClock();
  const fatal: Error[] = [];
  let workers: Promise<SignatureWorkers> | undefined;
  const shared = () => {
    workers ??= startWorkers({ chain });
    return workers;
  };
  return {
    wallet,
    chain,
    clock,
    fatal,
    workers: shared,
    open: async (ports = {}) =>
      TransactionPool.open({
        chain,
        workers: ports.workers ?? (await shared()),
        store: new MemoryStore() as KeyValueStore,
        clock,
        log: SILENT,
        onFatal: (error) => void fatal.push(error),
        ...ports,
      }),
  };
}
