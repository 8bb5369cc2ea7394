/**
 * What a node counts and measures. Parts report events to it; levels are read when metrics are requested.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { type HistoryDocument, TROUBLES, type TroubleName } from 'svc-api';
import { type MetricsServer, startMetricsServer as startServer } from 'svc-base/node';
import { type Clock, type Log, metricsText, type Signal } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import type { StateProgress } from 'svc-network';
import type { BlockPool, Chain, CutStep, FinalizedCut, Mempool, Relay } from 'svc-serve/ports';
import type { Bind } from '../config/bind.ts';
import { errorFields } from '../log/log-text.ts';
import {
  LAG_QUANTILES,
  type Queue,
  type SubmissionKind,
  type SubmissionResult,
} from './catalogue.ts';
import { Instruments } from './instruments.ts';

const RESOLUTION_MILLIS = 10;
const NANOS_PER_SECOND = 1e9;
const MICROS_PER_SECOND = 1e6;

/**
 * How the process itself does: late timers, memory, processor time.
 */
class ProcessMeter {
  #delay: ReturnType<typeof monitorEventLoopDelay> | undefined;

  start(): void {
    this.#delay ??= monitorEventLoopDelay({ resolution: RESOLUTION_MILLIS });
    this.#delay.enable();
  }

  close(): void {
    this.#delay?.disable();
    this.#delay = undefined;
  }

  /** Writes the figures; delays are counted from the last reading on. */
  read(to: Instruments): void {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    const { user, system } = process.cpuUsage();
    to.set('svc_node_heap_used_bytes', used);
    to.set('svc_node_heap_limit_bytes', limit);
    to.set('svc_node_resident_bytes', process.memoryUsage.rss());
    to.set('svc_node_cpu_seconds_total', (user + system) / MICROS_PER_SECOND);
    if (this.#delay === undefined || this.#delay.count === 0) return;
    for (const quantile of LAG_QUANTILES) {
      const late = this.#delay.percentile(Number(quantile) * 100) / NANOS_PER_SECOND;
      to.set('svc_node_event_loop_lag_seconds', Math.max(0, late - RESOLUTION_MILLIS / 1_000), {
        quantile,
      });
    }
    this.#delay.reset();
  }
}

export interface MetricPorts {
  readonly chain: Pick<Chain, 'head' | 'finalized' | 'retention' | 'idsLeft'>;
  readonly mempool: Pick<Mempool, 'size' | 'bytes' | 'removed'>;
  readonly blocks: Pick<BlockPool, 'size'>;
  readonly relay: Pick<Relay, 'peers' | 'bestPeerHeight'>;
  readonly sync: () => { readonly synced: boolean; readonly behindBy: number | null };
  readonly updates?: () => { readonly required: boolean; readonly announced: boolean };
  readonly troubles?: () => readonly TroubleName[];
  readonly removals?: () => RemovalFigures;
  /** Undefined if it cannot be read. */
  readonly freeDiskBytes?: () => number | undefined;
  readonly traffic?: () => {
    readonly receivedBytes: number;
    readonly sentBytes: number;
    readonly queuedCuts: number;
    readonly queuedBlocks: number;
  };
  readonly scrub?: () => { readonly bytes: number; readonly rounds: number } | undefined;
  readonly queues?: Readonly<Partial<Record<Queue, () => number>>>;
  /** Undefined while the node signs nothing. */
  readonly validator?: () => ValidatorFigures | undefined;
}

export interface RemovalFigures {
  /** Validators removed in the running epoch and the one before. */
  readonly recent: number;
  /** The part of the running committee's stake that its removed members had; they vote until the epoch ends. */
  readonly committeeShare: number;
}

export interface ValidatorFigures {
  readonly signedWindows: number;
  readonly missedWindows: number;
  readonly heartbeatAgeEpochs: number;
  /** Null while the fee address was not looked at. */
  readonly heartbeatsLeft: number | null;
  readonly isInCommittee: boolean;
  readonly isJailed: boolean;
  readonly isLapsed: boolean;
}

interface NodeMetricsOptions {
  readonly version: string;
  readonly network: string;
  /** Whether the node signs cuts. */
  readonly validator?: boolean;
  readonly clock?: Clock;
}

export class NodeMetrics {
  readonly #instruments: Instruments;
  readonly #process = new ProcessMeter();
  readonly #clock: Clock;
  readonly #startedAt: number;
  #sources: MetricPorts | undefined;
  #stateSync: (() => StateProgress) | undefined;
  #unwatch: (() => void)[] = [];

  constructor({ version, network, validator = false, clock = SYSTEM_CLOCK }: NodeMetricsOptions) {
    this.#instruments = new Instruments({ validator });
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#instruments.set('svc_node_info', 1, { version, network });
  }

  /** Follows the parts of a node; called once, when they are there. */
  watch(sources: MetricPorts): void {
    this.close();
    this.#sources = sources;
    this.#listen(sources.chain.finalized, (cut) => this.#onCut(cut));
    this.#listen(sources.mempool.removed, ({ reason }) => {
      this.#instruments.count('svc_node_mempool_removed_total', 1, { reason });
    });
    this.#process.start();
  }

  /** Follows a state on its way from peers, before there are parts to watch. */
  watchStateSync(progress: () => StateProgress): void {
    this.#stateSync = progress;
  }

  submission(kind: SubmissionKind, result: SubmissionResult): void {
    this.#instruments.count('svc_node_submissions_total', 1, { kind, result });
  }

  cutStep(step: CutStep, seconds: number): void {
    this.#instruments.observe('svc_node_cut_step_seconds', seconds, { step });
  }

  httpAnswer(status: number): void {
    const digit = Math.min(5, Math.max(2, Math.floor(status / 100)));
    this.#instruments.count('svc_node_http_answers_total', 1, { status: `${digit}xx` });
  }

  /** Everything in the text format of Prometheus, with an empty line between two metrics. */
  text(): string {
    this.#readLevels();
    return this.#instruments
      .metrics()
      .map((metric) => metricsText([metric]))
      .join('\n');
  }

  close(): void {
    for (const end of this.#unwatch) end();
    this.#unwatch = [];
    this.#sources = undefined;
    this.#process.close();
  }

  #listen<Event>(signal: Signal<Event>, listener: (event: Event) => void): void {
    this.#unwatch.push(signal.on(listener));
  }

  #onCut({ input, result }: FinalizedCut): void {
    const paid = result.events.rewards.filter(({ outpoint }) => outpoint !== null).length;
    this.#instruments.count('svc_node_cuts_total');
    this.#instruments.count('svc_node_registered_blocks_total', input.registered.length);
    this.#instruments.count('svc_node_executed_blocks_total', input.executed.length);
    this.#instruments.count('svc_node_paid_rewards_total', paid);
  }

  #readLevels(): void {
    const to = this.#instruments;
    to.set('svc_node_uptime_seconds', (this.#clock.now() - this.#startedAt) / 1_000);
    this.#process.read(to);
    if (this.#stateSync !== undefined) readStateSync(to, this.#stateSync());
    if (this.#sources === undefined) return;
    readChain(to, this.#sources);
    readRest(to, this.#sources);
  }
}

function readStateSync(to: Instruments, progress: StateProgress): void {
  to.set('svc_node_state_sync_ranges', progress.ranges);
  to.set('svc_node_state_sync_ranges_left', progress.rangesLeft);
  to.set('svc_node_state_sync_bytes_total', progress.provenBytes);
  to.set('svc_node_state_sync_refused_total', progress.refusedRanges);
}

function readChain(to: Instruments, { chain, mempool, blocks, relay, sync }: MetricPorts): void {
  const { synced, behindBy } = sync();
  const { inbound, outbound } = relay.peers;
  to.set('svc_node_finalized_height', chain.head.height);
  const history = historyOf(chain);
  to.set('svc_node_history_from', history.cuts_from);
  to.set('svc_node_history_left', history.cuts_left);
  to.set('svc_node_history_ids_left', history.ids_left);
  to.set('svc_node_synced', synced ? 1 : 0);
  to.set('svc_node_behind_by', behindBy ?? 0);
  to.set('svc_node_peers', inbound + outbound);
  to.set('svc_node_best_peer_height', relay.bestPeerHeight ?? 0);
  to.set('svc_node_mempool_transactions', mempool.size);
  to.set('svc_node_mempool_bytes', mempool.bytes);
  to.set('svc_node_work_pool_blocks', blocks.size);
}

function readRest(to: Instruments, ports: MetricPorts): void {
  const { updates, troubles, removals, freeDiskBytes, traffic, scrub, queues, validator } = ports;
  const update = updates?.() ?? { required: false, announced: false };
  to.set('svc_node_update_required', update.required ? 1 : 0);
  to.set('svc_node_update_announced', update.announced ? 1 : 0);
  const lacking = troubles?.() ?? [];
  for (const name of TROUBLES) to.set('svc_node_trouble', lacking.includes(name) ? 1 : 0, { name });
  const { recent = 0, committeeShare = 0 } = removals?.() ?? {};
  to.set('svc_node_removed_validators', recent);
  to.set('svc_node_committee_removed_share', committeeShare);
  to.set('svc_node_disk_free_bytes', freeDiskBytes?.() ?? 0);
  const peers = traffic?.();
  if (peers !== undefined) {
    to.set('svc_node_p2p_received_bytes_total', peers.receivedBytes);
    to.set('svc_node_p2p_sent_bytes_total', peers.sentBytes);
    to.set('svc_node_p2p_queued_cuts', peers.queuedCuts);
    to.set('svc_node_p2p_queued_blocks', peers.queuedBlocks);
  }
  const scrubbed = scrub?.();
  to.set('svc_node_scrubbed_bytes_total', scrubbed?.bytes ?? 0);
  to.set('svc_node_scrubs_total', scrubbed?.rounds ?? 0);
  for (const [queue, depth] of Object.entries(queues ?? {})) {
    to.set('svc_node_queue_depth', depth(), { queue });
  }
  const signing = validator?.();
  if (signing === undefined) return;
  to.set('svc_node_validator_signed_windows', signing.signedWindows);
  to.set('svc_node_validator_missed_windows', signing.missedWindows);
  to.set('svc_node_validator_heartbeat_age_epochs', signing.heartbeatAgeEpochs);
  to.set('svc_node_validator_heartbeats_left', signing.heartbeatsLeft);
  to.set('svc_node_validator_in_committee', signing.isInCommittee ? 1 : 0);
  to.set('svc_node_validator_jailed', signing.isJailed ? 1 : 0);
  to.set('svc_node_validator_lapsed', signing.isLapsed ? 1 : 0);
}

interface MetricsServerOptions {
  readonly bind: Bind;
  readonly metrics: NodeMetrics;
  readonly log: Log;
}

/**
 * The listener for the metrics of a node.
 */
export function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const { bind, log, metrics } = options;
  return startServer({
    bind,
    text: () => metrics.text(),
    onFailure: (error) => log.error(errorFields(error), 'metrics could not be read'),
  });
}

/** A node that prunes fetches nothing of the past but the ids of cuts. */
export function historyOf({
  retention,
  idsLeft,
}: Pick<Chain, 'retention' | 'idsLeft'>): HistoryDocument {
  const { mode, firstHeight, indexedFrom, blocksFrom } = retention;
  return {
    cuts_from: firstHeight,
    blocks_from: blocksFrom,
    indexed_from: indexedFrom,
    cuts_left: mode === 'pruned' ? 0 : firstHeight - 1,
    ids_left: idsLeft,
  };
}
