/**
 * The threads of a development network, which it keeps while it replaces its node: starting them takes longer than
 * everything else that a revert does. One thread hashes, for those who check blocks and for the miner; signatures of a network
 * in memory are checked without any.
 */
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { LightPow } from 'svc-mining/pow';
import { NodeThreads } from '../compose/node-threads.ts';
import type { DevContext, DevOptions } from './dev-config.ts';
import type { DevChain } from './dev-genesis.ts';

export class DevThreads {
  readonly checking: NodeThreads;
  readonly searcher: LightPow;

  constructor(
    { genesis, chainId }: DevChain,
    { parameters, log, onFatal }: DevContext,
    { memory = false }: Pick<DevOptions, 'memory'>,
  ) {
    this.checking = new NodeThreads({
      genesis,
      chainId,
      parameters,
      dataDir: '',
      proofOfWork: { mode: 'light', threads: 1, datasetDir: null },
      hasInlineSignatures: memory,
      clock: SYSTEM_CLOCK,
      log,
      onFatal,
    });
    const { pow } = this.checking;
    if (!(pow instanceof LightPow)) throw new Error('the proof of work is not that of light mode');
    this.searcher = pow;
  }

  async close(): Promise<void> {
    await this.checking.close();
  }
}
