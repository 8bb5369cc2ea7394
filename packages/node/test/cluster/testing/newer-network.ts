/**
 * A peer of a release that does not exist yet: it serves a chain whose last cuts follow newer rules, over the
 * real network, and says so when it shakes hands.
 */
import { Signal } from 'svc-base/pure';
import { temporaryDirectory } from 'svc-base/testing';
import { bytesOf } from 'svc-ledger';
import { HOST_LIMITS, Network } from 'svc-network';
import type { PooledBlock, PooledTransaction } from 'svc-serve/ports';
import { decodeValidatorSet, encodeValidatorSet } from 'svc-wasm/protocol';
import type { ChainCore } from '../../../src/chain/chain-core.ts';
import { NodeApplication } from '../../../src/network/node-application.ts';
import type { ChainFixture } from '../../../src/testing/chain-fixture.ts';
import type { PlannedNode } from './private-network.ts';

export const NEWER_PROTOCOL = 2;

/** Listens where a node was planned that is not started. */
export async function startNewerPeer(
  chain: ChainFixture,
  { place }: PlannedNode,
): Promise<Network> {
  const members = chain.epoch.members.map(({ validatorId, publicKey, stake }) => ({
    id: bytesOf(validatorId),
    publicKey,
    stake,
  }));
  const validators = decodeValidatorSet(encodeValidatorSet(members));
  const core = Object.assign(chain, { next: { validators }, setAt: () => validators });
  const application = new NodeApplication({
    chain: core as unknown as ChainCore,
    mempool: {
      get: () => undefined,
      all: () => [],
      submit: () => Promise.reject(new Error('nothing is taken')),
      added: new Signal<PooledTransaction>(),
    },
    blocks: {
      get: () => undefined,
      registrable: () => [],
      submit: () => Promise.reject(new Error('nothing is taken')),
      accepted: new Signal<PooledBlock>(),
    },
  });
  const identity = { ...application.identity, protocolVersion: NEWER_PROTOCOL };
  Object.assign(application, { identity });
  const network = await Network.create(
    {
      directory: temporaryDirectory(),
      listenHosts: [place.host],
      port: place.peerPort,
      agent: 'svcd/99.0.0',
      allowPrivateAddresses: true,
      limits: { ...HOST_LIMITS, inboundPerSecond: 100 },
    },
    application,
  );
  await network.start();
  return network;
}
