/**
 * The peers of a node as its configuration asks for them.
 */
import { join } from 'node:path';
import type { Log } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { HOST_LIMITS } from 'svc-network';
import type { NodeConfig } from '../config/node-config.ts';
import { PeerNetwork } from '../network/peer-network.ts';
import type { NodeCore } from './node-core.ts';

export interface PeersOptions {
  readonly config: Pick<NodeConfig, 'dataDir' | 'network' | 'peers' | 'validator'>;
  readonly core: NodeCore;
  readonly version: string;
  readonly log: Log;
  readonly onFatal: (error: unknown) => void;
}

/** A validator decides most cuts itself; it asks peers only for those that it did not. */
const FOLLOW_MILLIS = 1_000;
/** Cuts that are to be fetched together are waited for as long as twice as many take. */
const SPACING_PATIENCE = 2;

/** Opens the network without starting it: the node's own parts start first. */
export async function openPeers(
  { config, core, version, log, onFatal }: PeersOptions,
  closing: AsyncDisposableStack,
): Promise<PeerNetwork> {
  const { listenHosts, port, bootstrap, inboundMax, outboundMax } = config.peers;
  const { uploadBytesPerSecond, certificateEveryCuts: cuts } = config.peers;
  const { chain, mempool, blocks } = core;
  const waitMillisMax = SPACING_PATIENCE * cuts * chain.genesis.paceMillis;
  const network = await PeerNetwork.open({
    chain,
    mempool,
    blocks,
    network: {
      directory: join(config.dataDir, 'network'),
      listenHosts,
      port,
      bootstrap,
      uploadBytesPerSecond,
      certificateSpacing: { cuts, waitMillisMax },
      agent: `svcd/${version}`,
      allowPrivateAddresses: config.network === 'development',
      limits: { ...HOST_LIMITS, inboundMax, outboundTarget: outboundMax },
      ...(config.validator === null ? {} : { syncTiming: { followDelayMillis: FOLLOW_MILLIS } }),
      clock: SYSTEM_CLOCK,
      log: log.part('network'),
    },
  });
  closing.defer(() => network.close());
  network.stopped.on(({ reason, error }) => {
    if (reason === 'failed') onFatal(error);
  });
  return network;
}
