/**
 * What a node says of itself: how far it is, what it holds, whether it has to be updated.
 */
import type { StatusDocument, SyncDocument, TroubleDocument } from 'svc-api';
import type { Clock } from 'svc-base/pure';
import type { BlockPool, Chain, Mempool, Relay } from 'svc-serve/ports';
import type { StatusFacts } from '../log/status-line.ts';
import type { DiskWatch } from './disk-watch.ts';
import { historyOf } from './history-document.ts';
import { isSynced, type SyncFacts, type TroubleFacts, troublesOf } from './troubles.ts';
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
  readonly validator: () => Pick<ValidatorReport, 'document' | 'facts'> | undefined;
  /** Whether the node has a consensus key that no validator holds yet. */
  readonly isWaiting?: () => boolean;
  /** Whether the consensus key is with a remote signer that cannot be reached. */
  readonly isSignerAway?: () => boolean;
  /** Absent where nobody measures the disk. */
  readonly disk?: Pick<DiskWatch, 'freeBytes' | 'freeBytesMin'>;
}

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
      history: historyOf(chain.retention),
      uptime_seconds: Math.floor((performance.now() - this.#startedAt) / 1_000),
      validator: validator()?.document ?? null,
      ...(this.#ports.isWaiting?.() === true ? { validator_waits: true } : {}),
      troubles: [...this.troubles()],
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
    return isSynced(this.#syncFacts);
  }

  /** What the node lacks now. */
  readonly troubles = (): readonly TroubleDocument[] => troublesOf(this.#troubleFacts);

  get #syncFacts(): SyncFacts {
    const { chain, isAlone, clock, updates } = this.#ports;
    return {
      isUpdateRequired: updates().required,
      isAlone,
      behindBy: this.#behindBy,
      paceMillis: chain.genesis.paceMillis,
      headAgeMillis: clock.now() - chain.headTimeMillis,
    };
  }

  get #troubleFacts(): TroubleFacts {
    const { chain, relay, validator, disk, isWaiting } = this.#ports;
    const { inbound, outbound } = relay.peers;
    const own = validator();
    const document = own?.document ?? null;
    return {
      ...this.#syncFacts,
      peers: inbound + outbound,
      finalizedHeight: chain.head.height,
      freeDiskBytes: disk?.freeBytes,
      freeDiskBytesMin: disk?.freeBytesMin ?? 0,
      validator: document,
      isSignerAway: this.#ports.isSignerAway?.() === true,
      hasUnregisteredKey: isWaiting?.() === true || (own !== undefined && document === null),
    };
  }
}
