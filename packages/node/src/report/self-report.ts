/**
 * What a node says of itself: how far it is, what it holds, whether it has to be updated.
 */
import type { StatusDocument, SyncDocument } from 'svc-api';
import type { Clock } from 'svc-base/pure';
import type { StatusFacts } from '../log/status-line.ts';
import type { BlockPool } from '../ports/blocks.ts';
import type { Chain } from '../ports/chain.ts';
import type { Mempool } from '../ports/mempool.ts';
import type { Relay } from '../ports/relay.ts';
import type { ValidatorReport } from './validator-report.ts';

export interface Updates {
  readonly required: boolean;
  readonly announced: boolean;
}

export const NO_UPDATES: Updates = { required: false, announced: false };

export interface ReportPorts {
  readonly chain: Chain;
  readonly mempool: Pick<Mempool, 'size' | 'bytes'>;
  readonly blocks: Pick<BlockPool, 'size'>;
  readonly relay: Relay;
  readonly version: string;
  /** Whether the node has nobody to sync from, and so is never behind. */
  readonly isAlone: boolean;
  /** The clock that cuts are timed by. */
  readonly clock: Clock;
  readonly updates: () => Updates;
  /** The first validator of the node, as soon as it runs. */
  readonly validator: () => ValidatorReport | undefined;
  /** Whether the node has a consensus key that no validator holds yet. */
  readonly isWaiting?: () => boolean;
}

/** This many cuts behind the best peer still counts as synced: they are on their way. */
const LAG_CUTS_MAX = 2;
/** After so many paces without a cut a node no longer counts as synced. */
const FRESH_PACES = 12;
const FRESH_MILLIS_MIN = 30_000;
/** Two thirds of the validators vouch for the time of a final cut: a clock this far before it is wrong. */
const CLOCK_BEHIND_MILLIS_MAX = 10_000;

export class SelfReport {
  readonly #ports: ReportPorts;
  readonly #startedAt = performance.now();

  constructor(ports: ReportPorts) {
    this.#ports = ports;
  }

  readonly sync = (): SyncDocument => {
    const { chain, relay } = this.#ports;
    const { inbound, outbound } = relay.peers;
    return {
      api_version: 1,
      synced: this.#isSynced,
      finalized_height: chain.head.height,
      best_peer_height: relay.bestPeerHeight,
      behind_by: this.#behindBy,
      peers: inbound + outbound,
    };
  };

  readonly status = (): StatusDocument => {
    const { chain, mempool, blocks, relay, version, updates, validator } = this.#ports;
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
      ...(this.#ports.isWaiting?.() === true ? { validator_waits: true } : {}),
      update_required: required,
      update_announced: announced,
    };
  };

  /** The facts of the status line in the log. */
  readonly facts = (): StatusFacts => {
    const { chain, mempool, relay, validator } = this.#ports;
    const { inbound, outbound } = relay.peers;
    return {
      synced: this.#isSynced,
      finalizedHeight: chain.head.height,
      behindBy: relay.bestPeerHeight === null ? null : this.#behindBy,
      peers: inbound + outbound,
      mempoolTransactions: mempool.size,
      validator: validator()?.facts ?? null,
    };
  };

  get #behindBy(): number {
    const { chain, relay } = this.#ports;
    return Math.max(0, (relay.bestPeerHeight ?? 0) - chain.head.height);
  }

  get #isSynced(): boolean {
    return this.#reasonsNotSynced().length === 0;
  }

  /** Why others should not be sent here, in words for an operator; empty while they may be. */
  readonly reasonsNotReady = (): readonly string[] => {
    const { isAlone, chain, clock } = this.#ports;
    const behind = chain.headTimeMillis - clock.now();
    const isWrong = !isAlone && behind > CLOCK_BEHIND_MILLIS_MAX;
    const seconds = Math.floor(behind / 1_000);
    const told = isWrong ? [`the clock here is ${seconds} s behind the newest cut`] : [];
    return [...this.#reasonsNotSynced(), ...told];
  };

  /** Why the node does not follow the chain. */
  #reasonsNotSynced(): readonly string[] {
    const { isAlone, chain, clock, updates } = this.#ports;
    const reasons: string[] = [];
    if (updates().required) reasons.push('the network follows rules this release does not know');
    if (this.#behindBy > LAG_CUTS_MAX) reasons.push(`behind its peers by ${this.#behindBy} cuts`);
    const age = clock.now() - chain.headTimeMillis;
    const fresh = Math.max(FRESH_MILLIS_MIN, FRESH_PACES * chain.genesis.paceMillis);
    if (!isAlone && age >= fresh) reasons.push(`no new cut for ${Math.floor(age / 1_000)} s`);
    return reasons;
  }
}
