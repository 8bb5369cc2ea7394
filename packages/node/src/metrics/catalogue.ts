/**
 * Every metric of a node, with its fixed label values. No label ever carries text from outside. Documents,
 * dashboards and alerts are compared with this table.
 */
import { TROUBLES } from 'svc-api';
import type { Metric } from 'svc-base/pure';
import { CUT_STEPS } from 'svc-serve/ports';

export interface MetricEntry {
  readonly type: Metric['type'];
  readonly help: string;
  /** Label names and all values they can have; an empty list where the value is set once at the start. */
  readonly labels?: Readonly<Record<string, readonly string[]>>;
  /** The metric exists only on nodes of this kind. */
  readonly when?: 'validator';
  /** There is no series before the first value is known: 0 would be a value. */
  readonly startsUnknown?: true;
}

export const SUBMISSION_KINDS = ['transaction', 'block'] as const;
export type SubmissionKind = (typeof SUBMISSION_KINDS)[number];
export const SUBMISSION_RESULTS = ['accepted', 'known', 'late', 'refused'] as const;
export type SubmissionResult = (typeof SUBMISSION_RESULTS)[number];

export const QUEUES = ['signatures', 'proof_of_work', 'http', 'sockets'] as const;
export type Queue = (typeof QUEUES)[number];

export const REMOVALS = [
  'finalized',
  'expired',
  'evicted',
  'conflict',
  'rejected',
  'unknown',
] as const;
export const ANSWER_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;
export const LAG_QUANTILES = ['0.5', '0.99', '1'] as const;

export const METRICS = {
  svc_node_info: {
    type: 'gauge',
    help: 'Always 1; the labels say which release runs on which network.',
    labels: { version: [], network: [] },
  },
  svc_node_uptime_seconds: { type: 'gauge', help: 'Seconds since the node was started.' },
  svc_node_finalized_height: { type: 'gauge', help: 'Height of the last final cut.' },
  svc_node_synced: { type: 'gauge', help: '1 if the node is at the head of its peers, else 0.' },
  svc_node_history_from: { type: 'gauge', help: 'The first cut that is here.' },
  svc_node_history_left: {
    type: 'gauge',
    help: 'Cuts before it that are still fetched from peers.',
  },
  svc_node_history_ids_left: {
    type: 'gauge',
    help: 'Ids of cuts before it that are still fetched from peers.',
  },
  svc_node_behind_by: { type: 'gauge', help: 'Cuts that the best peer is ahead.' },
  svc_node_peers: { type: 'gauge', help: 'Connected peers.' },
  svc_node_best_peer_height: {
    type: 'gauge',
    help: 'Highest cut that a peer has proven; 0 for none.',
  },
  svc_node_cuts_total: { type: 'counter', help: 'Cuts made final since the start.' },
  svc_node_registered_blocks_total: {
    type: 'counter',
    help: 'Work blocks that those cuts registered.',
  },
  svc_node_executed_blocks_total: {
    type: 'counter',
    help: 'Work blocks that those cuts executed.',
  },
  svc_node_paid_rewards_total: { type: 'counter', help: 'Block rewards that those cuts paid.' },
  svc_node_submissions_total: {
    type: 'counter',
    help: 'Transactions and blocks handed to the node, by what became of them.',
    labels: { kind: SUBMISSION_KINDS, result: SUBMISSION_RESULTS },
  },
  svc_node_mempool_transactions: { type: 'gauge', help: 'Transactions that wait for a block.' },
  svc_node_mempool_bytes: { type: 'gauge', help: 'Bytes of those transactions.' },
  svc_node_mempool_removed_total: {
    type: 'counter',
    help: 'Transactions that left the mempool, by reason.',
    labels: { reason: REMOVALS },
  },
  svc_node_work_pool_blocks: { type: 'gauge', help: 'Work blocks that wait for a cut.' },
  svc_node_p2p_received_bytes_total: { type: 'counter', help: 'Bytes received from peers.' },
  svc_node_p2p_sent_bytes_total: { type: 'counter', help: 'Bytes sent to peers.' },
  svc_node_p2p_queued_cuts: { type: 'gauge', help: 'Cuts from peers that wait to be executed.' },
  svc_node_p2p_queued_blocks: { type: 'gauge', help: 'Blocks from peers that wait to be checked.' },
  svc_node_state_sync_ranges: {
    type: 'gauge',
    help: 'Ranges of the state that the node begins with; 0 without one.',
  },
  svc_node_state_sync_ranges_left: { type: 'gauge', help: 'Those that are still to come.' },
  svc_node_state_sync_bytes_total: {
    type: 'counter',
    help: 'Bytes of ranges that have come and were proven.',
  },
  svc_node_state_sync_refused_total: {
    type: 'counter',
    help: 'Ranges from peers that were refused because they were not what the manifest names.',
  },
  svc_node_cut_step_seconds: {
    type: 'histogram',
    help: 'Time that each step of a cut took.',
    labels: { step: CUT_STEPS },
  },
  svc_node_scrubbed_bytes_total: {
    type: 'counter',
    help: 'Bytes of stored files that were read again and found sound.',
  },
  svc_node_scrubs_total: {
    type: 'counter',
    help: 'Readings of all stored files that found no damage.',
  },
  svc_node_http_answers_total: {
    type: 'counter',
    help: 'Answers of the HTTP API, by class of status.',
    labels: { status: ANSWER_CLASSES },
  },
  svc_node_queue_depth: {
    type: 'gauge',
    help: 'Checks of signatures and hashes under way or waiting, HTTP requests not yet answered, open sockets.',
    labels: { queue: QUEUES },
  },
  svc_node_event_loop_lag_seconds: {
    type: 'summary',
    help: 'How late timers fired since the last scrape; quantile 1 is the worst.',
    labels: { quantile: LAG_QUANTILES },
  },
  svc_node_heap_used_bytes: { type: 'gauge', help: 'JavaScript heap in use.' },
  svc_node_heap_limit_bytes: {
    type: 'gauge',
    help: 'JavaScript heap at which the node would end.',
  },
  svc_node_resident_bytes: { type: 'gauge', help: 'Memory of the process.' },
  svc_node_cpu_seconds_total: { type: 'counter', help: 'Processor time of the process.' },
  svc_node_update_required: {
    type: 'gauge',
    help: '1 if the network follows rules that this release does not know.',
  },
  svc_node_update_announced: { type: 'gauge', help: '1 if a peer runs a newer release.' },
  svc_node_trouble: {
    type: 'gauge',
    help: '1 while the node lacks what the name says; `svcd status` has the words.',
    labels: { name: TROUBLES },
  },
  svc_node_removed_validators: {
    type: 'gauge',
    help: 'Validators removed for equivocation in this epoch and the one before.',
  },
  svc_node_committee_removed_share: {
    type: 'gauge',
    help: 'Part of the stake of the running committee that its removed members had; they vote until the epoch ends.',
  },
  svc_node_disk_free_bytes: {
    type: 'gauge',
    help: 'Free space on the disk of the data directory; 0 if it cannot be read.',
  },
  svc_node_validator_signed_windows: {
    type: 'gauge',
    help: 'Attendance windows of this epoch with a signature of this validator.',
    when: 'validator',
  },
  svc_node_validator_missed_windows: {
    type: 'gauge',
    help: 'Attendance windows of this epoch that ended without one; 3 are forgiven.',
    when: 'validator',
  },
  svc_node_validator_heartbeat_age_epochs: {
    type: 'gauge',
    help: 'Epochs since the last final heartbeat.',
    when: 'validator',
  },
  svc_node_validator_heartbeats_left: {
    type: 'gauge',
    help: 'Heartbeats at the configured cap that the fee address can still pay; absent from a start to the first heartbeat.',
    when: 'validator',
    startsUnknown: true,
  },
  svc_node_validator_in_committee: {
    type: 'gauge',
    help: '1 if this validator has a seat in this epoch.',
    when: 'validator',
  },
  svc_node_validator_jailed: {
    type: 'gauge',
    help: '1 while this validator is jailed for missed windows.',
    when: 'validator',
  },
  svc_node_validator_lapsed: {
    type: 'gauge',
    help: '1 while this validator has no seat for want of heartbeats.',
    when: 'validator',
  },
} as const satisfies Record<string, MetricEntry>;

export type MetricName = keyof typeof METRICS;
export const METRIC_NAMES: readonly MetricName[] = Object.keys(METRICS) as MetricName[];
