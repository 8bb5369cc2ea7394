/**
 * The threads of a node: those that check signatures, and those that check proofs of work. They know the rules of a
 * chain and nothing of its state, so a development network keeps them while it replaces its node.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Log } from 'svc-base/pure';
import { type Genesis, LEDGER_PARAMETERS, type LedgerParameters } from 'svc-ledger';
import { chainDatasetFolder, PowPeriods, startPow, userDatasetFolder } from 'svc-mining/pow';
import { fromHex } from 'svc-wasm/base';
import { createManifest } from 'svc-wasm/protocol';
import type { NodeConfig } from '../config/node-config.ts';
import { InlineSignatures } from '../workers/inline-signatures.ts';
import type { SignatureChecks } from '../workers/signature-checks.ts';
import { SignatureWorkers } from '../workers/signature-workers.ts';

export interface ThreadsOptions {
  readonly genesis: Genesis;
  readonly chainId: string;
  /** Replaces the parameters of the network. */
  readonly parameters?: LedgerParameters | undefined;
  readonly dataDir: string;
  readonly proofOfWork: NodeConfig['proofOfWork'];
  /** Whether signatures are checked on the thread that asks; threads of their own do it unless given. */
  readonly hasInlineSignatures?: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly onFatal: (error: unknown) => void;
}

export class NodeThreads {
  readonly periods: PowPeriods;
  readonly pow: ReturnType<typeof startPow>;
  /** Resolves when the first thread is ready. */
  readonly workers: Promise<SignatureChecks>;

  constructor(options: ThreadsOptions) {
    const { genesis, chainId, proofOfWork, clock, log, onFatal } = options;
    const { parameters = LEDGER_PARAMETERS[genesis.network] } = options;
    const { mode, threads } = proofOfWork;
    this.periods = new PowPeriods({ chainId: fromHex(chainId), parameters });
    this.pow = startPow({
      mode,
      periods: this.periods,
      folder: datasetFolder(options),
      clock,
      log,
      ...(threads === 0 ? {} : { threads }),
    });
    const manifestJson = createManifest(genesis.network, fromHex(chainId)).json;
    this.workers =
      options.hasInlineSignatures === true
        ? Promise.resolve(new InlineSignatures(manifestJson))
        : SignatureWorkers.start({ manifestJson, log: log.part('workers'), onFatal });
    this.workers.catch(() => {}); // The rejection is handled by the code that awaits `workers`.
  }

  async close(): Promise<void> {
    await this.pow.close();
    await (await this.workers).close();
  }
}

/** A data directory that has datasets keeps using them. */
export function datasetFolder({
  chainId,
  dataDir,
  proofOfWork,
}: Pick<ThreadsOptions, 'chainId' | 'dataDir' | 'proofOfWork'>): string {
  const own = join(dataDir, 'dataset');
  if (proofOfWork.datasetDir === null && existsSync(own)) return own;
  return chainDatasetFolder(proofOfWork.datasetDir ?? userDatasetFolder(), chainId);
}
