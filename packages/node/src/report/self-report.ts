/**
 * What a node says of itself: how far it is, what it holds, whether it has to be updated.
 */
import type { StatusDocument, SyncDocument } from 'svc-api';
import type { Clock } from 'svc-base/pure';
import type { NodeCore } from '../compose/node-core.ts';
import type { StatusFacts } from '../log/status-line.ts';
import type { Relay } from '../ports/relay.ts';
import type { ValidatorReport } from './validator-report.ts';

export interface Updates {
  readonly required: boolean;
  readonly announced: boolean;
}

export const NO_UPDATES: Updates = { required: false, announced: false };

export interface ReportPorts {
  readonly core: NodeCore;
  readonly relay: Relay;
  readonly version: string;
  /** Whether the node has nobody to sync from, and so is never behind. */
  readonly isAlone: boolean;
  /** The clock that cuts are timed by. */
  readonly clock: Clock;
  readonly updates: () => Updates;
  /** The first validator of the node, as soon as it runs. */
  readonly validator: () => ValidatorReport | undefined;
}

/** This many cuts behind the best peer still counts as synced: they are on their way. */
const LAG_CUTS_MAX = 2;
/** After so many paces without a cut a node no longer counts as synced. */
const FRESH_PACES = 12;
const FRESH_MILLIS_MIN = 30_000;

export class SelfReport {
  readonly #parts: ReportPorts;
  readonly #startedAt = performance.now();

  constructor(parts: ReportPorts) {
    this.#parts = parts;
  }

  readonly sync = (): SyncDocument => {
    const { core, relay } = this.#parts;
    const { inbound, outbound } = relay.peers;
    return {
      api_version: 1,
      synced: this.#isSynced,
      finalized_height: core.chain.head.height,
      best_peer_height: relay.bestPeerHeight,
      behind_by: this.#behindBy,
      peers: inbound + outbound,
    };
  };

  readonly status = (): StatusDocument => {
    const { core, relay, version, updates, validator } = this.#parts;
    const { chain, mempool, blocks } = core;
    const { inbound, outbound } = relay.peers;
    const { required, announced } = updates();
    return {
      api_version: 1,
      version,
      network: chain.genesis.network,
      chain_id: chain.chainId,
      finalized_height: chain.head.height,
      synced: this.#isSynced,
      peers: { inbound, outbound },
      mempool: { transactions: mempool.size, bytes: mempool.bytes },
      work_pool_blocks: blocks.size,
      storage_mode: chain.retention.mode,
      uptime_seconds: Math.floor((performance.now() - this.#startedAt) / 1_000),
      validator: validator()?.document ?? null,
      update_required: required,
      update_announced: announced,
    };
  };

  /** The facts of the status line in the log. */
  readonly facts = (): StatusFacts => {
    const { core, relay, validator } = this.#parts;
    const { inbound, outbound } = relay.peers;
    return {
      synced: this.#isSynced,
      finalizedHeight: core.chain.head.height,
      behindBy: relay.bestPeerHeight === null ? null : this.#behindBy,
      peers: inbound + outbound,
      mempoolTransactions: core.mempool.size,
      validator: validator()?.facts ?? null,
    };
  };

  get #behindBy(): number {
    const { core, relay } = this.#parts;
    return Math.max(0, (relay.bestPeerHeight ?? 0) - core.chain.head.height);
  }

  get #isSynced(): boolean {
    const { isAlone, core, clock, updates } = this.#parts;
    if (updates().required) return false;
    if (this.#behindBy > LAG_CUTS_MAX) return false;
    if (isAlone) return true;
    const { genesis, headTimeMillis } = core.chain;
    const fresh = Math.max(FRESH_MILLIS_MIN, FRESH_PACES * genesis.paceMillis);
    return clock.now() - headTimeMillis < fresh;
  }
}
