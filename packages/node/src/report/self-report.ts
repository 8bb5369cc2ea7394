/**
 * What a node says of itself: how far it is, what it holds, whether it has to be updated.
 */
import type {
  StatusDocument,
  SyncDocument,
  TroubleDocument,
  TroubleName,
  ValidatorStatusDocument,
} from 'svc-api';
import type { Clock, Log } from 'svc-base/pure';
import type { BlockPool, Chain, Mempool, Relay } from 'svc-serve/ports';
import type { StatusFacts } from '../log/status-line.ts';
import { historyOf } from '../metrics/node-metrics.ts';
import type { PeerNetwork } from '../network/peer-network.ts';
import type { DiskWatch } from './disk-watch.ts';
import { removalMessage, type ValidatorReport } from './validator-report.ts';

/** What tells whether a node follows the chain. It is asked for each transaction that comes, and looked up nowhere. */
interface SyncFacts {
  readonly isUpdateRequired: boolean;
  /** Whether the node has no peers to sync from; then it has no pace to keep either. */
  readonly isAlone: boolean;
  readonly behindBy: number;
  readonly paceMillis: number;
  /** From the time of the newest cut to now; negative if the clock here is behind it. */
  readonly headAgeMillis: number;
}

/** What the rules judge. */
interface TroubleFacts extends SyncFacts {
  readonly peers: number;
  readonly finalizedHeight: number;
  /** Undefined if it cannot be read. */
  readonly freeDiskBytes: number | undefined;
  readonly freeDiskBytesMin: number;
  /** Null for a node without a consensus key, and while no validator holds the key. */
  readonly validator: ValidatorStatusDocument | null;
  readonly hasUnregisteredKey: boolean;
  /** Whether the consensus key is with a remote signer that cannot be reached. */
  readonly isSignerAway: boolean;
}

/** This many cuts behind the best peer still counts as synced: they are on their way. */
const LAG_CUTS_MAX = 2;
/** After so many paces without a cut a node no longer counts as synced. */
const FRESH_PACES = 12;
const FRESH_MILLIS_MIN = 30_000;
/** Two thirds of the validators vouch for the time of a final cut: a clock this far before it is wrong. */
const CLOCK_BEHIND_MILLIS_MAX = 10_000;
/** A member of the committee that signed none of so many cuts does not sign. */
const UNSIGNED_CUTS_MAX = 20;
const MEBIBYTE = 2 ** 20;

/** Words for an operator, or null if the node does not lack it. */
type Rule<Facts = TroubleFacts> = (facts: Facts) => string | null;

/** Troubles that mean that the node does not follow the chain. */
const NOT_SYNCED = {
  update_required: ({ isUpdateRequired }) =>
    isUpdateRequired ? 'the network follows rules this release does not know' : null,
  lagging: ({ behindBy }) =>
    behindBy > LAG_CUTS_MAX ? `behind its peers by ${behindBy} cuts` : null,
  standing_still: ({ isAlone, headAgeMillis, paceMillis }) =>
    !isAlone && headAgeMillis >= Math.max(FRESH_MILLIS_MIN, FRESH_PACES * paceMillis)
      ? `no new cut for ${Math.floor(headAgeMillis / 1_000)} s`
      : null,
} as const satisfies Partial<Record<TroubleName, Rule<SyncFacts>>>;

const NOT_READY = {
  ...NOT_SYNCED,
  clock_behind: ({ isAlone, headAgeMillis }) =>
    !isAlone && -headAgeMillis > CLOCK_BEHIND_MILLIS_MAX
      ? `the clock here is ${Math.floor(-headAgeMillis / 1_000)} s behind the newest cut`
      : null,
  no_peers: ({ isAlone, peers }) =>
    !isAlone && peers === 0
      ? 'no other node is connected: check the network and peers.bootstrap'
      : null,
  disk_low: ({ freeDiskBytes, freeDiskBytesMin }) =>
    freeDiskBytes !== undefined && freeDiskBytes < freeDiskBytesMin
      ? `${Math.floor(freeDiskBytes / MEBIBYTE)} MiB are free on the disk of the data directory, expected ${Math.floor(freeDiskBytesMin / MEBIBYTE)}`
      : null,
} as const satisfies Partial<Record<TroubleName, Rule>>;

/** States of a validator that lacks nothing more than a seat. */
const SEATLESS_STATES: readonly string[] = ['active', 'silent', 'paused', 'standby', 'registered'];

const OF_VALIDATOR = {
  validator_unregistered: ({ hasUnregisteredKey }) =>
    hasUnregisteredKey ? 'no validator holds the consensus key' : null,
  validator_stopped: ({ validator }) =>
    validator?.state === 'stopped'
      ? 'the consensus key was seen elsewhere and has stopped for good: see the log'
      : null,
  validator_jailed: ({ validator }) =>
    validator?.state === 'jailed' ? 'the validator missed too many windows of an epoch' : null,
  validator_lapsed: ({ validator }) =>
    validator?.state === 'lapsed' ? 'no heartbeat of the validator was final for two epochs' : null,
  validator_removed: ({ validator }) =>
    validator?.removal === undefined ? null : removalMessage(validator.removal),
  validator_not_in_committee: ({ validator }) =>
    validator !== null && !validator.committee && SEATLESS_STATES.includes(validator.state)
      ? 'the validator has no seat in this epoch'
      : null,
  validator_not_signing: ({ validator, finalizedHeight }) =>
    validator?.committee === true &&
    validator.state !== 'standby' &&
    finalizedHeight - (validator.last_signed_height ?? 0) > UNSIGNED_CUTS_MAX
      ? `the validator has a seat and signed none of the last ${UNSIGNED_CUTS_MAX} cuts`
      : null,
  validator_signer_away: ({ isSignerAway }) =>
    isSignerAway ? 'the remote signer cannot be reached: nothing is signed' : null,
} as const satisfies Partial<Record<TroubleName, Rule>>;

const RULES: Readonly<Record<TroubleName, Rule>> = { ...NOT_READY, ...OF_VALIDATOR };

/** In the order of the table. */
function troublesOf(facts: TroubleFacts): readonly TroubleDocument[] {
  const names = Object.keys(RULES) as TroubleName[];
  return names.flatMap((name) => {
    const message = RULES[name](facts);
    return message === null ? [] : [{ name, message, refuses_ready: name in NOT_READY }];
  });
}

function isSynced(facts: SyncFacts): boolean {
  return Object.values(NOT_SYNCED).every((rule: Rule<SyncFacts>) => rule(facts) === null);
}

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
  /** Whether the node has no peers to sync from, and so is never behind. */
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
  /** Absent where the disk is not measured. */
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
      history: historyOf(chain),
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

interface RulesWatchPorts {
  readonly peers: Pick<PeerNetwork, 'updates' | 'stopped'> | undefined;
  /** The validators of the node; more may be added while it starts. */
  readonly seats: readonly { readonly driver: { pause(): void } }[];
  readonly log: Log;
}

/**
 * Watches whether the network continued under rules that this release does not know. If it has, the node stays
 * where it is until it is updated: it still serves what it has, and takes, gives and signs nothing new.
 */
export class RulesWatch {
  readonly #ports: RulesWatchPorts;
  #isRequired = false;

  constructor(ports: RulesWatchPorts) {
    this.#ports = ports;
    ports.peers?.stopped.on(({ reason }) => {
      if (reason === 'update_required') this.#stop();
    });
  }

  get updates(): Updates {
    const { required, announced } = this.#ports.peers?.updates ?? NO_UPDATES;
    return { required: required || this.#isRequired, announced };
  }

  /** The other validators have decided a cut that this release cannot judge. */
  readonly decidedElsewhere = (height: number): void => {
    if (this.updates.required) return;
    this.#ports.log.error(
      { height },
      'update_required: the network follows rules this release does not know',
    );
    this.#stop();
  };

  #stop(): void {
    this.#isRequired = true;
    for (const { driver } of this.#ports.seats) driver.pause();
  }
}
