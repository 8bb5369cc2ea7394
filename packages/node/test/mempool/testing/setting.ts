/**
 * A chain, a wallet and mempools for tests. Signatures are checked in the test's own thread unless a test
 * starts workers.
 */
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock } from 'svc-base/testing';
import { BURN_ADDRESS } from 'svc-ledger';
import { MemoryStore } from 'svc-storage';
import { init } from 'svc-wasm';
import { type MempoolPorts, TransactionPool } from '../../../src/mempool/transaction-pool.ts';
import { SignatureWorkers } from '../../../src/workers/signature-workers.ts';
import { DirectChecks } from './direct-checks.ts';
import { TestChain } from './test-chain.ts';
import { TestWallet } from './test-wallet.ts';

export interface SettingOptions {
  readonly accounts?: number;
  readonly coinsEach?: number;
  readonly paceMillis?: number;
  /** The last coin lies at the burn address. */
  readonly burn?: boolean;
}

export class Setting {
  readonly wallet: TestWallet;
  readonly chain: TestChain;
  readonly clock = new ManualClock(1_700_000_000_000);
  readonly fatal: Error[] = [];
  readonly checks: DirectChecks;

  constructor(wallet: TestWallet, chain: TestChain) {
    this.wallet = wallet;
    this.chain = chain;
    this.checks = new DirectChecks(chain.manifest);
  }

  async startWorkers(): Promise<SignatureWorkers> {
    return SignatureWorkers.start({
      manifestJson: this.chain.manifest.json,
      threads: 1,
      log: SILENT_LOG,
      onFatal: (error) => void this.fatal.push(error),
    });
  }

  open(ports: Partial<MempoolPorts> = {}): Promise<TransactionPool> {
    return TransactionPool.open({
      chain: this.chain,
      workers: this.checks,
      store: new MemoryStore(),
      clock: this.clock,
      log: SILENT_LOG,
      onFatal: (error) => void this.fatal.push(error),
      ...ports,
    });
  }

  close(): Promise<void> {
    return this.chain.close();
  }
}

export async function createSetting(options: SettingOptions = {}): Promise<Setting> {
  await init();
  const wallet = new TestWallet(options.accounts ?? 4, options.coinsEach ?? 8);
  const genesis = wallet.genesis(options.paceMillis);
  const outputs = genesis.outputs.map((output, index) =>
    options.burn === true && index === genesis.outputs.length - 1
      ? { ...output, address: BURN_ADDRESS }
      : output,
  );
  const chain = await TestChain.start({ ...genesis, outputs });
  wallet.manifest = chain.manifest;
  return new Setting(wallet, chain);
}
