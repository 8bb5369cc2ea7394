/**
 * `svcd status`: how a running node is.
 */
import type { ChainHead, StatusDocument, SyncDocument } from 'svc-api';
import { CliError, columns, EXIT, result, resultJson } from 'svc-base/cli';
import { formatBind, isLoopback } from '../../config/bind.ts';
import type { CommandOptions } from '../config-options.ts';
import { configOf } from '../load-config.ts';
import { HEALTH_BEST, HEALTH_GOOD, type Health, healthOf } from './health.ts';
import { NodeClient } from './node-client.ts';

export interface NodeReport {
  readonly status: StatusDocument;
  readonly sync: SyncDocument;
  readonly headAgeMillis: number | null;
}

export async function showStatus(options: CommandOptions): Promise<void> {
  const report = await askNode(clientOf(options));
  const health = healthOf(report.status);
  if (options['json'] === true) {
    const { status, sync } = report;
    resultJson({ health: { ...health, best: HEALTH_BEST }, status, sync });
  } else {
    result(statusText(report, health));
  }
  if (health.score < HEALTH_GOOD) process.exitCode = EXIT.failed;
}

export function clientOf(options: CommandOptions): NodeClient {
  const { url } = options;
  if (typeof url === 'string') return new NodeClient(url);
  const { bind } = configOf(options).config.http;
  const isEverywhere = bind.host === '0.0.0.0' || bind.host === '::';
  const host = isEverywhere && !isLoopback(bind.host) ? '127.0.0.1' : bind.host;
  return new NodeClient(`http://${formatBind({ host, port: bind.port })}`);
}

export async function askNode(client: NodeClient): Promise<NodeReport> {
  const status = await client.get<StatusDocument>('/v1/node/status');
  const sync = await client.get<SyncDocument>('/v1/node/sync');
  if (status === undefined || sync === undefined) {
    throw new CliError(EXIT.failed, `${client.url} answers, but not as a node does`);
  }
  const head = await client.get<ChainHead>('/v1/chain/head');
  return { status, sync, headAgeMillis: head === undefined ? null : Date.now() - head.time_millis };
}

function validatorText({ validator, validator_waits: waits }: StatusDocument): string {
  if (validator === null) return waits ? 'waits for the registration of its key' : 'none';
  const seat = validator.committee ? 'in the committee' : 'no seat';
  return `${validator.validator_id} ${validator.state}, ${seat}`;
}

/** Nothing for a node that has all cuts and lists, or that does not tell. */
function historyRows({ history }: StatusDocument): string[][] {
  if (history === undefined) return [];
  const { cuts_from: from, indexed_from: indexed, cuts_left: left, ids_left: ids } = history;
  if (from <= 1 && indexed <= 1) return [];
  const cuts = left === 0 ? '' : `, ${left} earlier ones are being fetched`;
  const named = ids === 0 ? '' : `, ${ids} ids of earlier ones are being fetched`;
  return [['history', `cuts from ${from}${cuts}${named}; lists from ${indexed}`]];
}

function statusText({ status, sync }: NodeReport, health: Health): string {
  const { peers, mempool } = status;
  const rows = [
    ['network', status.network],
    ['chain', status.chain_id],
    ['release', status.version],
    ['cut', `${status.finalized_height}`],
    ['synced', status.synced ? 'yes' : `no, behind by ${sync.behind_by}`],
    ['peers', `${peers.inbound + peers.outbound} (${peers.inbound} in, ${peers.outbound} out)`],
    ['mempool', `${mempool.transactions} transactions, ${mempool.bytes} bytes`],
    ['work pool', `${status.work_pool_blocks} blocks`],
    ['storage', status.storage_mode],
    ...historyRows(status),
    ['uptime', `${status.uptime_seconds} s`],
    ['validator', validatorText(status)],
  ];
  const reasons = health.deductions.map(({ points, reason }) => `  -${points}  ${reason}`);
  return [`health ${health.score}/${HEALTH_BEST}`, ...reasons, columns(rows)].join('\n');
}
