/**
 * The peers of a node: `svc-network` over the node's own parts, as the ports that the rest of the node uses.
 */
import { Signal } from 'svc-base/pure';
import {
  type HistoryFetch,
  type HistoryKeeper,
  Network,
  type NetworkOptions,
  type SyncProgress,
  type SyncStop,
  type UpdateAnnouncement,
} from 'svc-network';
import type { PeerCounts, Relay } from 'svc-serve/ports';
import type { BlockBytes } from 'svc-storage';
import { LABELS } from 'svc-wasm/base';
import { BLOCK_BODY_BYTES_MAX } from 'svc-wasm/protocol';
import type { ChainCore } from '../chain/chain-core.ts';
import { NodeApplication, type NodeApplicationPorts } from './node-application.ts';

const LABEL = new TextEncoder().encode(LABELS.body);
/** `digest` copies what it is given before it returns, so one piece of memory is enough for all. */
const labelled = new Uint8Array(LABEL.length + BLOCK_BODY_BYTES_MAX);
labelled.set(LABEL);

/** Bodies beyond the limit have no root that a header could hold: they get an empty one. */
export async function hashBody(body: Uint8Array): Promise<Uint8Array> {
  if (body.length > BLOCK_BODY_BYTES_MAX) return new Uint8Array(0);
  labelled.set(body, LABEL.length);
  const bytes = labelled.subarray(0, LABEL.length + body.length);
  return new Uint8Array(await crypto.subtle.digest('SHA-384', bytes));
}

export interface PeerTraffic {
  readonly receivedBytes: number;
  readonly sentBytes: number;
  readonly queuedCuts: number;
  readonly queuedBlocks: number;
}

interface PeerNetworkOptions extends NodeApplicationPorts {
  readonly network: NetworkOptions;
}

export class PeerNetwork implements Relay {
  /** Once a second while the node catches up. */
  readonly progressed = new Signal<SyncProgress>();
  /** The node cannot continue with the chain of its peers. */
  readonly stopped = new Signal<SyncStop>();
  readonly #network: Network;
  readonly #application: NodeApplication;
  readonly #past: HistoryKeeper;
  readonly #history: HistoryFetch;
  #filling: Promise<void> = Promise.resolve();
  readonly #updates = { required: false, announced: false };

  static async open({ network, ...ports }: PeerNetworkOptions): Promise<PeerNetwork> {
    const application = new NodeApplication({ hashBody, ...ports });
    const past = pastOf(ports.chain);
    return new PeerNetwork(await Network.create(network, application), application, past);
  }

  private constructor(network: Network, application: NodeApplication, past: HistoryKeeper) {
    this.#network = network;
    this.#application = application;
    this.#past = past;
    this.#history = network.historyFetch(past);
    network.handshake.updateAnnounced.on((_: UpdateAnnouncement) => {
      this.#updates.announced = true;
    });
    network.sync.progressed.on((progress) => this.progressed.emit(progress));
    network.sync.stopped.on((stop) => {
      if (stop.reason === 'update_required') this.#updates.required = true;
      this.stopped.emit(stop);
    });
  }

  /** Where it listens, as multiaddrs with the peer id. */
  get addresses(): readonly string[] {
    return this.#network.addresses;
  }

  get peers(): PeerCounts {
    const { peers } = this.#network;
    return { inbound: peers.count('inbound'), outbound: peers.count('outbound') };
  }

  get bestPeerHeight(): number | null {
    return this.#network.sync.bestPeerHeight;
  }

  /** Whether no credible peer is ahead; true without peers. */
  get isSynced(): boolean {
    return this.#network.sync.isSynced;
  }

  get updates(): { readonly required: boolean; readonly announced: boolean } {
    return this.#updates;
  }

  get traffic(): PeerTraffic {
    const { traffic, sync, relay } = this.#network;
    const { receivedBytes, sentBytes } = traffic;
    const { queuedCuts } = sync;
    return { receivedBytes, sentBytes, queuedCuts, queuedBlocks: relay.queuedBlocks };
  }

  fetchBlocks(ids: readonly string[], timeoutMillis: number): Promise<BlockBytes[]> {
    return this.#network.relay.fetchBlocks(ids, timeoutMillis);
  }

  async start(): Promise<void> {
    await this.#network.start();
    // The log has the failure; if it is one of the disk, the chain's queue ends the node.
    const { wanted, missingIds } = this.#past;
    if (wanted !== undefined || missingIds !== undefined)
      this.#filling = this.#history.run().catch(() => {});
  }

  async close(): Promise<void> {
    this.#history.close();
    await this.#network.close();
    await this.#filling;
    this.#application.close();
  }
}

/** The cuts before the first one of a chain that began with a state, and the ids of all of them. */
function pastOf(chain: ChainCore): HistoryKeeper {
  return {
    interval: chain.parameters.interval,
    recoveredHeights: chain.parameters.recoveries.map(({ height }) => height),
    get missingIds() {
      return chain.pastIds.missing;
    },
    get wanted() {
      return chain.pastLink;
    },
    wantsBlocks: (height) => chain.keepsPastBlocks(height),
    setAt: (height) => chain.setAt(height),
    putIds: (from, ids) => chain.addPastIds(from, ids),
    put: (cuts) => chain.fillPast(cuts),
  };
}
