/**
 * The pool as a whole: a node's work on one side, miners on the other, books between them, a wallet that pays. All
 * wiring of `svc-pool` is here.
 */

import { usageError } from 'svc-base/cli';
import type { Listening } from 'svc-base/node';
import type { Clock, Log } from 'svc-base/pure';
import { createClient, createWalletClient } from 'svc-client';
import { difficultyOf, type PendingShare, parseUsername, type RoundMode } from 'svc-mining';
import {
  type Bind,
  type BlockAnswer,
  type Listeners,
  type ListenersOptions,
  listeningText,
  type MiningWork,
  type MiningWorkOptions,
  openListeners,
  openMiningWork,
  Statistics,
  StratumServer,
} from 'svc-mining/server';
import type { Network } from 'svc-wasm/base';
import { type Books, openBooks } from './books/books.ts';
import { BookReader } from './books/read-books.ts';
import { ShareWriter } from './books/share-writer.ts';
import type { FoundBlock } from './books/write-shares.ts';
import type { Database } from './database/database.ts';
import { openDatabase } from './database/open-database.ts';
import { Payer, type PayerOptions } from './payouts/payer.ts';
import { RewardFollower } from './rounds/reward-follower.ts';
import { PoolReport } from './web/pool-report.ts';
import { serveWeb } from './web/web-server.ts';

export interface PoolOptions extends MiningWorkOptions {
  readonly release: string;
  /** Written into blocks, and shown on the page. */
  readonly name: string;
  /** What blocks pay; an address of the wallet that pays the miners. */
  readonly address: string;
  /** The HTTP API of a node. */
  readonly api: URL;
  /** Where miners connect; a mode without listeners is not offered. */
  readonly pplns: ListenersOptions;
  readonly solo: ListenersOptions;
  readonly web: Bind | null;
  readonly hasMetrics: boolean;
  /** The page of a node that shows blocks and transactions; null for a page without such links. */
  readonly explorer: string | null;
  /** A file, or the URL of a PostgreSQL database. */
  readonly database: string;
  readonly feeBasisPoints: bigint;
  readonly windowBlocks: bigint;
  readonly startDifficulty: bigint;
  readonly leastDifficulty: bigint;
  /** Undefined for a pool that keeps books and makes no payouts. */
  readonly wallet: WalletOptions | undefined;
  readonly payouts: PayerOptions;
}

export interface WalletOptions {
  readonly url: URL;
  readonly token: string;
}

export interface PoolPorts {
  readonly clock: Clock;
  readonly log: Log;
  /** A write failed, or the database is gone: the program has to end. */
  readonly onFatal: (error: Error) => void;
}

export interface Pool {
  readonly pplns: Listeners;
  readonly solo: Listeners;
  readonly web: Listening | undefined;
  close(): Promise<void>;
}

type Servers = Readonly<Record<RoundMode, StratumServer | undefined>>;

export async function startPool(ports: PoolPorts, options: PoolOptions): Promise<Pool> {
  const work = await openMiningWork(ports, options);
  let database: Database | undefined;
  try {
    checkAddress(options.address, work.chain.network as Network);
    database = await openDatabase(options.database, ports.onFatal);
    const books = await openBooks(database, {
      chainId: work.chain.chain_id,
      poolAddress: options.address,
      height: work.source.height,
    });
    return await runPool(ports, options, work, books);
  } catch (error) {
    await database?.close();
    await work.close();
    throw error;
  }
}

async function runPool(
  ports: PoolPorts,
  options: PoolOptions,
  work: MiningWork,
  books: Books,
): Promise<Pool> {
  const { clock, log, onFatal } = ports;
  const { database } = books;
  const statistics = new Statistics(clock);
  const writer = new ShareWriter({ database, clock, onFatal });
  const follower = openFollower(ports, options, books);
  const payer = openPayer(ports, options, books);
  const serverOf = (mode: RoundMode): StratumServer | undefined =>
    hasListeners(options[mode])
      ? openServer(mode, ports, options, work, { statistics, writer })
      : undefined;
  const servers: Servers = { pplns: serverOf('pplns'), solo: serverOf('solo') };
  const opened: Listening[] = [];
  const stopWaking = work.source.heights.on(() => follower.wake());
  const close = async (): Promise<void> => {
    stopWaking();
    await Promise.all(opened.map((listening) => listening.close()));
    servers.pplns?.close();
    servers.solo?.close();
    await work.close();
    await writer.close();
    await follower.close();
    await payer?.close();
    await database.close();
  };
  const listen = async (mode: RoundMode): Promise<Listeners> => {
    const server = servers[mode];
    if (server === undefined) return { tcp: [], tls: [], ws: [] };
    return await openListeners(server.accept, options[mode], opened);
  };
  try {
    const pplns = await listen('pplns');
    const solo = await listen('solo');
    const report = new PoolReport(
      {
        books: new BookReader(database),
        servers,
        source: work.source,
        statistics,
        writer,
        payer,
        clock,
      },
      {
        ...options,
        network: work.chain.network,
        poolAddress: options.address,
        threshold: options.payouts.threshold,
        urls: { pplns: urlsOf(pplns), solo: urlsOf(solo) },
      },
    );
    const { web: bind, hasMetrics } = options;
    const web =
      bind === null
        ? undefined
        : await serveWeb({ report, log: log.part('web') }, { bind, hasMetrics });
    if (web !== undefined) opened.push(web);
    follower.wake();
    payer?.start();
    return { pplns, solo, web, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Accounting {
  readonly statistics: Statistics;
  readonly writer: ShareWriter;
}

/** Both servers mine for the pool's address; they differ in whose the shares are. */
function openServer(
  mode: RoundMode,
  { clock, log }: PoolPorts,
  options: PoolOptions,
  work: MiningWork,
  { statistics, writer }: Accounting,
): StratumServer {
  const onShare = (share: PendingShare, answer: BlockAnswer | undefined): Promise<void> => {
    const block = foundBlock(share, answer, options.windowBlocks);
    return writer.write({
      mode,
      ...share.miner,
      work: share.difficulty,
      blockWork: difficultyOf(share.job.blockTarget),
      height: work.source.height,
      timeMillis: clock.now(),
      ...(block === undefined ? {} : { block }),
    });
  };
  const vardiff = { start: options.startDifficulty, least: options.leastDifficulty };
  return new StratumServer(
    { ...work, statistics, clock, log: log.part(mode), onShare },
    { chain: work.chain, vardiff, poolAddress: options.address, poolTag: options.name },
  );
}

/** A block that the node did not answer for is found on the chain later, if it got there. */
function foundBlock(
  { job }: PendingShare,
  answer: BlockAnswer | undefined,
  windowBlocks: bigint,
): FoundBlock | undefined {
  if (answer?.blockId === undefined) return undefined;
  const { anchorHeight, expiresHeight, blockTarget } = job;
  const windowWork = windowBlocks * difficultyOf(blockTarget);
  return { blockId: answer.blockId, anchorHeight, expiresHeight, windowWork };
}

function openFollower(
  { clock, log, onFatal }: PoolPorts,
  { api, address: poolAddress, feeBasisPoints, windowBlocks }: PoolOptions,
  books: Books,
): RewardFollower {
  const client = createClient({ url: api.href });
  return new RewardFollower(
    { books, client, clock, log: log.part('rounds'), onFatal },
    { poolAddress, feeBasisPoints, windowBlocks },
  );
}

function openPayer(
  { clock, log, onFatal }: PoolPorts,
  { wallet: options, payouts }: PoolOptions,
  books: Books,
): Payer | undefined {
  if (options === undefined) return undefined;
  const wallet = createWalletClient({ url: options.url.href, token: options.token });
  return new Payer({ books, wallet, clock, log: log.part('payouts'), onFatal }, payouts);
}

function checkAddress(address: string, network: Network): void {
  const parsed = parseUsername(address, network);
  if ('message' in parsed) throw usageError(`--address: ${parsed.message}`);
}

function hasListeners({ listen, listenTls, listenWs }: ListenersOptions): boolean {
  return listen.length + listenTls.length + listenWs.length > 0;
}

function urlsOf({ tcp, tls, ws }: Listeners): string[] {
  return [
    ...tcp.map((listening) => `svc+tcp://${listeningText(listening)}`),
    ...tls.map((listening) => `svc+tls://${listeningText(listening)}`),
    ...ws.map((listening) => `ws://${listeningText(listening)}`),
  ];
}
