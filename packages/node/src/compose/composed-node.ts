/**
 * A whole node in one process: core, peers, validators and what is served, started in this order and ended in
 * reverse. All wiring of a node is in this folder.
 */
import { statfs } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Clock, Log } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { ValidatorStartError } from 'svc-consensus/shell';
import type { Genesis, LedgerParameters } from 'svc-ledger';
import { NO_PEERS, type Relay, type Services } from 'svc-serve/ports';
import type { Bind } from '../config/bind.ts';
import { type NodeConfig, wantsPeers } from '../config/node-config.ts';
import { openIdentity } from '../identity/identity-file.ts';
import type { StatusFacts } from '../log/status-line.ts';
import type { NodeMetrics } from '../metrics/node-metrics.ts';
import type { PeerNetwork, PeerTraffic } from '../network/peer-network.ts';
import { DiskWatch } from '../report/disk-watch.ts';
import { RulesWatch, SelfReport } from '../report/self-report.ts';
import { RemovalReport, type ValidatorReport } from '../report/validator-report.ts';
import { type ApiExtension, type Front, type KeptListeners, openFront } from './front.ts';
import { type NodeCore, openCore } from './node-core.ts';
import type { NodeDisks } from './node-disks.ts';
import type { NodeThreads } from './node-threads.ts';
import type { PeersOptions } from './peers.ts';
import type { RunningSeat, Seat } from './seats.ts';
import { type RemoteValidator, TakenSeats } from './taken-seats.ts';

interface MeasurePorts {
  readonly core: NodeCore;
  readonly front: Front;
  readonly relay: Relay;
  readonly peers: PeerNetwork | undefined;
  readonly seats: readonly RunningSeat[];
  readonly rules: RulesWatch;
  readonly report: SelfReport;
  readonly disk: DiskWatch;
  /** Undefined while the node signs nothing. */
  readonly validator: () => ValidatorReport | undefined;
}

/** Returns what stops the counting of answers, whose listener may outlive the node. */
function measureNode(metrics: NodeMetrics, parts: MeasurePorts): () => void {
  const { core, front, relay, peers, seats, rules, report, disk, validator } = parts;
  const { chain, mempool, blocks, workers, pow } = core;
  const removals = new RemovalReport(chain);
  let underWay = 0;
  metrics.watch({
    chain,
    mempool,
    blocks,
    relay,
    sync: () => {
      const { synced, behind_by } = report.sync();
      return { synced, behindBy: behind_by };
    },
    updates: () => rules.updates,
    troubles: () => report.troubles().map(({ name }) => name),
    removals: () => removals.figures,
    freeDiskBytes: () => disk.freeBytes,
    ...(peers === undefined ? {} : { traffic: () => allTraffic(peers, seats) }),
    validator: () => validator()?.figures,
    scrub: () => core.scrub,
    queues: {
      signatures: () => workers.waiting,
      proof_of_work: () => pow.waiting,
      http: () => underWay,
      sockets: () => front.sockets.size,
    },
  });
  mempool.answered.on((result) => metrics.submission('transaction', result));
  blocks.answered.on((result) => metrics.submission('block', result));
  chain.stepped.on(({ step, seconds }) => metrics.cutStep(step, seconds));
  const countAnswer = (_: unknown, response: ServerResponse): void => {
    underWay++;
    response.once('close', () => {
      underWay--;
      if (response.writableFinished) metrics.httpAnswer(response.statusCode);
    });
  };
  front.http.server.on('request', countAnswer);
  return () => void front.http.server.off('request', countAnswer);
}

/** All bytes exchanged with other nodes, peers and validators alike. */
function allTraffic(peers: PeerNetwork, seats: readonly RunningSeat[]): PeerTraffic {
  const sum = { ...peers.traffic };
  for (const { traffic } of seats) {
    sum.receivedBytes += traffic().receivedBytes;
    sum.sentBytes += traffic().sentBytes;
  }
  return sum;
}

/** What a node is started with beside its configuration. */
export interface NodeContext {
  readonly genesis: Genesis;
  /** The id of the chain that starts from the genesis. */
  readonly chainId: string;
  /** In place of the parameters of the network: with the recoveries of the chain, or for measurements. */
  readonly parameters?: LedgerParameters;
  /** Starts a record of what the validator's key signed where there is none, after 48 silent cuts. */
  readonly newSignState?: boolean;
  readonly log: Log;
  /** `watch` is called as soon as the parts are there; the listener is not the node's business. */
  readonly metrics: NodeMetrics;
  readonly version: string;
  /** Ends the process at once, with a line in the log: a durable write failed, or the state is not what it must be. */
  readonly onFatal: (error: unknown) => void;
}

interface ComposeOptions {
  readonly config: NodeConfig;
  readonly context: NodeContext;
  /** Times the cuts; everything else goes by the system's clock. */
  readonly clock?: Clock;
  /** Returns the validators to run; called once the chain is open. Whatever they open is closed after them. */
  readonly seats: (
    core: NodeCore,
    closing: AsyncDisposableStack,
  ) => readonly Seat[] | Promise<readonly Seat[]>;
  /** Seats that are taken later, as the chain comes to know their keys; called once peers are there. */
  readonly laterSeats?: (
    core: NodeCore,
    relay: Relay,
    closing: AsyncDisposableStack,
  ) => AsyncIterable<Seat> | undefined;
  /** A validator whose key is with a remote signer: its seat is taken and left with the lease. */
  readonly remote?: RemoteValidator;
  /** Whether the first seat is one of those. */
  readonly isAwaited?: (core: NodeCore) => boolean;
  readonly extension?: ApiExtension;
  /** In place of the directories in the data directory. */
  readonly disks?: NodeDisks;
  /** Threads that outlive the node; it starts and ends its own unless given. */
  readonly threads?: NodeThreads;
  /** Listeners that outlive the node; it opens and closes its own unless given. */
  readonly listeners?: KeptListeners;
}

export interface ComposedNode {
  readonly core: NodeCore;
  readonly front: Front;
  readonly seats: readonly RunningSeat[];
  /** Where the HTTP API listens, with the port that the system chose for port 0. */
  readonly http: Bind;
  readonly mining: Bind;
  status(): StatusFacts;
  /** Idempotent; ends within a few seconds. */
  close(): Promise<void>;
}

export async function composeNode(options: ComposeOptions): Promise<ComposedNode> {
  await using starting = new AsyncDisposableStack();
  const { report, ...parts } = await startParts(options, starting);
  const { httpBind: http, miningBind: mining } = parts.front;
  const closing = starting.move();
  const close = () => closing.disposeAsync();
  return { ...parts, http, mining, status: () => report.facts(), close };
}

async function startParts(
  options: ComposeOptions,
  starting: AsyncDisposableStack,
): Promise<Pick<ComposedNode, 'core' | 'front' | 'seats'> & { report: SelfReport }> {
  const { config, context, clock = SYSTEM_CLOCK, seats: seatsOf, extension } = options;
  const { genesis, chainId, parameters, log, metrics, version, onFatal } = context;
  const { dataDir } = config;
  const core = await openCore({
    ...config,
    genesis,
    chainId,
    parameters,
    clock,
    disks: options.disks,
    threads: options.threads,
    log,
    onFatal,
  });
  starting.defer(() => core.close());
  const peers = await peersOf({ config, core, version, log, onFatal }, starting);
  const relay: Relay = peers ?? NO_PEERS;
  const taken = new TakenSeats({ core, log }, options.remote);
  const { running: seats } = taken;
  const rules = new RulesWatch({ peers, seats, log });
  const { chain, mempool, blocks } = core;
  const disk = await watchDisk(config, log, starting);
  const report = new SelfReport({
    chain,
    mempool,
    blocks,
    relay,
    version,
    isAlone: peers === undefined,
    clock,
    updates: () => rules.updates,
    validator: () => taken.report,
    isWaiting: () => taken.isWaiting,
    isSignerAway: () => taken.isSignerAway,
    disk,
  });
  const services = servicesOf({ core, relay, report, dataDir, log, version });
  const front = await openFront(
    { core, services, config, clock: SYSTEM_CLOCK, extension, listeners: options.listeners },
    starting,
  );
  const ports = { core, relay, clock, log, onNewRules: rules.decidedElsewhere, onFatal };
  const take = (seat: Seat, closing: AsyncDisposableStack): Promise<void> =>
    taken.take(seat, ports, closing);
  for (const seat of await seatsOf(core, starting)) await take(seat, starting);
  await peers?.start();
  taken.isWaiting = options.isAwaited?.(core) ?? false;
  takeLater(options, { core, relay, take, hasSeat: () => seats.length > 0 }, starting);
  const parts = { core, front, relay, peers, seats, rules, report, disk };
  starting.defer(measureNode(metrics, { ...parts, validator: () => taken.report }));
  return { core, front, seats, report };
}

async function watchDisk(
  { dataDir, storage }: NodeConfig,
  log: Log,
  closing: AsyncDisposableStack,
): Promise<DiskWatch> {
  const watch = await DiskWatch.start({
    freeBytes: async () => {
      const { bavail, bsize } = await statfs(dataDir);
      return bavail * bsize;
    },
    freeBytesMin: storage.freeBytesMin,
    clock: SYSTEM_CLOCK,
    log,
  });
  closing.defer(() => watch.close());
  return watch;
}

interface LaterPorts {
  readonly core: NodeCore;
  readonly relay: Relay;
  readonly take: (seat: Seat, closing: AsyncDisposableStack) => Promise<void>;
  readonly hasSeat: () => boolean;
}

/**
 * What comes later is closed before everything that it works with. A further key that is refused ends nothing, and neither
 * does a seat that could not be opened because the node was ending.
 */
function takeLater(
  { laterSeats, remote, context }: ComposeOptions,
  { core, relay, take, hasSeat }: LaterPorts,
  starting: AsyncDisposableStack,
): void {
  const later = new AsyncDisposableStack();
  starting.defer(async () => {
    remote?.close();
    await later.disposeAsync();
  });
  const takeAll = async (): Promise<void> => {
    for await (const seat of laterSeats?.(core, relay, later) ?? []) {
      if (later.disposed) return;
      try {
        await take(seat, later);
      } catch (error) {
        if (!hasSeat() || !(error instanceof ValidatorStartError)) throw error;
        context.log
          .part('validator')
          .error({ error: error.message }, 'the next consensus key cannot be used');
      }
    }
  };
  takeAll().catch((error: unknown) => {
    if (!later.disposed) context.onFatal(error);
  });
}

interface ServiceSources {
  readonly core: NodeCore;
  readonly relay: Relay;
  readonly report: SelfReport;
  readonly dataDir: string;
  readonly log: Log;
  readonly version: string;
}

/** What the API and the sockets work with. */
function servicesOf({ core, relay, report, dataDir, log, version }: ServiceSources): Services {
  const { chain, mempool, blocks, statuses, rates } = core;
  return {
    chain,
    mempool,
    blocks,
    statuses,
    proofs: chain.proofs,
    relay,
    identity: openIdentity(join(dataDir, 'identity.key')),
    rates,
    sync: report.sync,
    troubles: report.troubles,
    status: report.status,
    clock: SYSTEM_CLOCK,
    log,
    version,
  };
}

async function peersOf(
  wish: PeersOptions,
  closing: AsyncDisposableStack,
): Promise<PeerNetwork | undefined> {
  if (!wantsPeers(wish.config.peers)) return undefined;
  const { openPeers } = await import('./peers.ts');
  return openPeers(wish, closing);
}
