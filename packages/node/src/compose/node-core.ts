/**
 * What every node is made of, whatever it serves and is connected to: the chain, pending transactions and blocks,
 * and the threads that check things. Parts are opened in the order they need each other and closed in reverse.
 */
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Clock, Log } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import type { Genesis, LedgerParameters } from 'svc-ledger';
import type { PowPeriods, startPow } from 'svc-mining/pow';
import { Anchors } from '../blocks/anchors.ts';
import { WorkBlockPool } from '../blocks/block-pool.ts';
import { ProposalBlocks } from '../blocks/proposal-blocks.ts';
import { ChainCore } from '../chain/chain-core.ts';
import { StoreScrub } from '../chain/store-scrub.ts';
import type { NodeConfig } from '../config/node-config.ts';
import { TransactionPool } from '../mempool/transaction-pool.ts';
import { CutRates } from '../mining/rates.ts';
import { Templates } from '../mining/templates.ts';
import { StatusTracker } from '../status/status-tracker.ts';
import { AheadChecks } from '../workers/ahead-checks.ts';
import type { SignatureChecks } from '../workers/signature-checks.ts';
import { NodeDirectory, type NodeDisks } from './node-disks.ts';
import { NodeThreads } from './node-threads.ts';

const HOUR_MILLIS = 3_600_000;
/** Of the time of the main thread. */
const BUSY_SHARE = 0.5;

export interface CoreOptions {
  readonly genesis: Genesis;
  readonly chainId: string;
  /** Replaces the parameters of the network. */
  readonly parameters: LedgerParameters | undefined;
  readonly dataDir: string;
  readonly storage: NodeConfig['storage'];
  readonly proofOfWork: NodeConfig['proofOfWork'];
  /** Null if the node signs nothing. */
  readonly validator: NodeConfig['validator'];
  /** Times the cuts; a development network has a clock of its own. */
  readonly clock: Clock;
  /** In place of the directories in the data directory. */
  readonly disks?: NodeDisks | undefined;
  /** Threads that outlive the node; it starts and ends its own unless given. */
  readonly threads?: NodeThreads | undefined;
  readonly log: Log;
  readonly onFatal: (error: unknown) => void;
}

export interface NodeCore {
  readonly chain: ChainCore;
  readonly workers: SignatureChecks;
  readonly mempool: TransactionPool;
  readonly blocks: WorkBlockPool;
  readonly proposalBlocks: ProposalBlocks;
  readonly periods: PowPeriods;
  readonly pow: ReturnType<typeof startPow>;
  readonly anchors: Anchors;
  readonly rates: CutRates;
  readonly templates: Templates;
  readonly statuses: StatusTracker;
  /** Undefined where the operator has switched it off or there are no files. */
  readonly scrub: StoreScrub | undefined;
  readonly disks: NodeDisks;
  close(): Promise<void>;
}

type CoreParts = Omit<NodeCore, 'close'>;

export async function openCore(options: CoreOptions): Promise<NodeCore> {
  await using opening = new AsyncDisposableStack();
  const parts = await openParts(options, opening);
  const closing = opening.move();
  return { ...parts, close: () => closing.disposeAsync() };
}

async function openParts(options: CoreOptions, opening: AsyncDisposableStack): Promise<CoreParts> {
  const { genesis, parameters, dataDir, clock, log, onFatal } = options;
  const threads = options.threads ?? new NodeThreads(options);
  if (options.threads === undefined) opening.defer(() => threads.close());
  const { periods, pow } = threads;
  const { disks = new NodeDirectory({ ...options, ...options.storage }) } = options;
  let ahead: AheadChecks | undefined;
  const chain = await ChainCore.open({
    directory: join(dataDir, 'chain'),
    disk: disks.chain,
    genesis,
    ...(parameters === undefined ? {} : { parameters }),
    ...options.storage,
    clock,
    log: log.part('chain'),
    onFatal,
    installsInGroups: options.validator === null,
    checkAhead: {
      checkAhead: async (transactions, _, findWaiting) =>
        void (await ahead?.check(transactions, findWaiting)),
    },
  });
  opening.defer(() => chain.close());
  const scrub = startScrub(options, disks, opening);
  const workers = await threads.workers;
  ahead = new AheadChecks({ chain, workers });
  const prepare = (height: number): void => void pow.prepare(height + 1).catch(onFatal);
  prepare(chain.head.height);
  opening.defer(chain.finalized.on(({ height }) => prepare(height)));
  const anchors = await Anchors.open(chain);
  opening.defer(() => anchors.close());
  const mempool = await TransactionPool.open({
    chain,
    workers,
    store: await disks.openMempool(),
    clock,
    log: log.part('mempool'),
    onFatal,
  });
  opening.defer(() => mempool.close());
  const pools = { chain, anchors, mempool, pow, disks };
  const { blocks, proposalBlocks } = await openBlocks(options, pools, opening);
  chain.useBlocks(proposalBlocks);
  const rates = await CutRates.open(chain, anchors);
  opening.defer(() => rates.close());
  const templates = new Templates({ ...pools, blocks, periods, clock: SYSTEM_CLOCK });
  opening.defer(() => templates.close());
  const statuses = new StatusTracker({ chain, mempool, blocks });
  opening.defer(() => statuses.close());
  return {
    chain,
    workers,
    mempool,
    blocks,
    proposalBlocks,
    periods,
    pow,
    anchors,
    rates,
    templates,
    statuses,
    scrub,
    disks,
  };
}

/** Reads the files of all databases again, by real time: a disk fails however fast cuts come. */
function startScrub(
  { log, onFatal, storage }: CoreOptions,
  { scrubbed: databases }: NodeDisks,
  opening: AsyncDisposableStack,
): StoreScrub | undefined {
  const { scrubHours } = storage;
  if (scrubHours === 0 || databases.length === 0) return undefined;
  const scrub = new StoreScrub({
    databases,
    intervalMillis: scrubHours * HOUR_MILLIS,
    isBusy: loadMeter(),
    clock: SYSTEM_CLOCK,
    log: log.part('chain'),
    onFatal,
  });
  opening.defer(() => scrub.close());
  return scrub;
}

/** Tells whether the thread was busy for most of the time since the last call. */
function loadMeter(): () => boolean {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization > BUSY_SHARE;
  };
}

/** The pool of waiting blocks, and the blocks that proposals name beside it. */
async function openBlocks(
  { clock, log, onFatal }: CoreOptions,
  parts: Pick<CoreParts, 'chain' | 'anchors' | 'mempool' | 'pow' | 'disks'>,
  opening: AsyncDisposableStack,
): Promise<Pick<CoreParts, 'blocks' | 'proposalBlocks'>> {
  const { disks, ...ports } = parts;
  const shared = { ...ports, log: log.part('blocks'), onFatal };
  const store = await disks.openBlocks();
  const blocks = await WorkBlockPool.open({ ...shared, store, clock });
  opening.defer(() => blocks.close());
  const proposals = await disks.openProposals();
  const proposalBlocks = await ProposalBlocks.open({ ...shared, pool: blocks, store: proposals });
  opening.defer(() => proposalBlocks.close());
  return { blocks, proposalBlocks };
}
