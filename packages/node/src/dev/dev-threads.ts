/**
 * The threads of a development network, which it keeps while it replaces its node: starting them takes longer than
 * everything else that a revert does.
 */
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { PowSearcher } from 'svc-pow';
import { NodeThreads } from '../compose/node-threads.ts';
import type { DevContext } from './dev-config.ts';
import type { DevChain } from './dev-genesis.ts';

export class DevThreads {
  readonly checking: NodeThreads;
  readonly searcher: PowSearcher;

  constructor({ genesis, chainId }: DevChain, { parameters, log, onFatal }: DevContext) {
    this.checking = new NodeThreads({
      genesis,
      chainId,
      parameters,
      dataDir: '',
      proofOfWork: { mode: 'light', threads: 1, datasetDir: null },
      clock: SYSTEM_CLOCK,
      log,
      onFatal,
    });
    this.searcher = new PowSearcher(this.checking.periods);
  }

  async close(): Promise<void> {
    await Promise.all([this.searcher.close(), this.checking.close()]);
  }
}
