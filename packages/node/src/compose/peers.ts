/**
 * The peers of a node as its configuration asks for them.
 */
import { join } from 'node:path';
import type { Log } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { HOST_LIMITS, type NetworkOptions } from 'svc-network';
import type { NodeConfig } from '../config/node-config.ts';
import { KeptStates } from '../network/kept-states.ts';
import { PeerNetwork } from '../network/peer-network.ts';
import type { NodeCore } from './node-core.ts';

export interface PeersOptions {
  readonly config: Pick<NodeConfig, 'dataDir' | 'network' | 'peers' | 'storage' | 'validator'>;
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
  const { uploadBytesPerSecond, certificateEveryCuts: cuts } = config.peers;
  const { chain, mempool, blocks } = core;
  const waitMillisMax = SPACING_PATIENCE * cuts * chain.genesis.paceMillis;
  let opened: PeerNetwork | undefined;
  const states = await openStates({ config, core, log }, () => opened?.isSynced === true, closing);
  const network = await PeerNetwork.open({
    chain,
    mempool,
    blocks,
    states,
    network: {
      ...hostOptions(config, version),
      uploadBytesPerSecond,
      certificateSpacing: { cuts, waitMillisMax },
      syncTiming: {
        paceMillis: chain.genesis.paceMillis,
        ...(config.validator === null ? {} : { followDelayMillis: FOLLOW_MILLIS }),
      },
      clock: SYSTEM_CLOCK,
      log: log.part('network'),
    },
  });
  opened = network;
  closing.defer(() => network.close());
  network.stopped.on(({ reason, error }) => {
    if (reason === 'failed') onFatal(error);
  });
  return network;
}

/** The host as the configuration asks for it, whatever it is used for. */
export function hostOptions(
  config: Pick<NodeConfig, 'dataDir' | 'network' | 'peers'>,
  version: string,
): NetworkOptions {
  const { listenHosts, port, bootstrap, inboundMax, outboundMax, quic } = config.peers;
  return {
    directory: join(config.dataDir, 'network'),
    listenHosts,
    port,
    quic,
    bootstrap,
    agent: `svcd/${version}`,
    allowPrivateAddresses: config.network === 'development',
    limits: { ...HOST_LIMITS, inboundMax, outboundTarget: outboundMax },
  };
}

async function openStates(
  { config, core, log }: Pick<PeersOptions, 'config' | 'core' | 'log'>,
  isSynced: () => boolean,
  closing: AsyncDisposableStack,
): Promise<KeptStates | undefined> {
  const { stateEveryCuts: everyCuts } = config.storage;
  if (everyCuts === 0) return undefined;
  const directory = join(config.dataDir, 'states');
  const ports = { chain: core.chain, directory, isSynced, log: log.part('network') };
  const states = await KeptStates.open(ports, { everyCuts });
  closing.defer(() => states.close());
  return states;
}
