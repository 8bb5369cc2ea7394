/**
 * What a pool publishes about itself: documents, which its page shows, and metrics, from its books and its servers.
 */
import { type Clock, type Metric, metricsText } from 'svc-base/pure';
import type { RoundMode } from 'svc-mining';
import {
  type Statistics,
  type StratumServer,
  serverMetrics,
  statisticsDocument,
  type WorkSource,
} from 'svc-mining/server';
import type { BookReader, BooksTotals, PayoutReport } from '../books/read-books.ts';
import type { ShareWriter } from '../books/share-writer.ts';
import { type HistoryStep, STEP_MILLIS } from '../books/work-history.ts';
import type { Payer } from '../payouts/payer.ts';

export interface PoolReportPorts {
  readonly books: BookReader;
  readonly servers: Readonly<Record<RoundMode, StratumServer | undefined>>;
  readonly source: WorkSource;
  readonly statistics: Statistics;
  readonly writer: ShareWriter;
  /** Undefined for a pool without a wallet. */
  readonly payer: Payer | undefined;
  readonly clock: Clock;
}

export interface PoolReportOptions {
  readonly release: string;
  readonly network: string;
  readonly name: string;
  readonly poolAddress: string;
  readonly feeBasisPoints: bigint;
  readonly windowBlocks: bigint;
  readonly threshold: bigint;
  /** Addresses to connect to, as the listeners have them. */
  readonly urls: Readonly<Record<RoundMode, readonly string[]>>;
  /** The page of a node that shows blocks and transactions, without a slash at its end. */
  readonly explorer: string | null;
}

export class PoolReport {
  readonly #ports: PoolReportPorts;
  readonly #options: PoolReportOptions;

  constructor(ports: PoolReportPorts, options: PoolReportOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  async statistics(): Promise<object> {
    const { books, source, statistics, clock, payer } = this.#ports;
    const { release, network, name, poolAddress, explorer, feeBasisPoints, ...terms } =
      this.#options;
    const server = this.#server();
    const base = statisticsDocument(
      { server, source, statistics, clock },
      { prefix: '', release, network },
    );
    // Workers are many and belong to their miners; any client may query one address.
    const { workers, ...document } = base;
    return {
      ...document,
      workers: workers.length,
      pool: {
        name,
        address: poolAddress,
        explorer,
        fee_basis_points: String(feeBasisPoints),
        window_blocks: String(terms.windowBlocks),
        threshold: String(terms.threshold),
        urls: terms.urls,
        connections: this.#connections(),
        pays_out: payer !== undefined,
        ...totalsDocument(await books.totals()),
      },
    };
  }

  async blocks(): Promise<object> {
    const blocks = await this.#ports.books.blocks();
    return {
      api_version: 1,
      blocks: blocks.map(({ blockId, anchorHeight, ...block }) => ({
        block_id: blockId,
        anchor_height: anchorHeight,
        ...block,
      })),
    };
  }

  async rounds(before: number): Promise<object> {
    const rounds = await this.#ports.books.rounds(before);
    return {
      api_version: 1,
      rounds: rounds.map(({ round, blockId, paidHeight, root }) => ({
        round,
        block_id: blockId,
        paid_height: paidHeight,
        root,
      })),
    };
  }

  async round(number: number): Promise<{ type: string; text: string } | undefined> {
    const text = await this.#ports.books.round(number);
    return text === undefined ? undefined : { type: 'application/json', text };
  }

  async payouts(before: number): Promise<object> {
    const payouts = await this.#ports.books.payouts(before);
    return { api_version: 1, payouts: payouts.map(payoutDocument) };
  }

  async miner(text: string): Promise<object | undefined> {
    const { books, statistics } = this.#ports;
    const miner = await books.miner(text.toLowerCase());
    if (miner === undefined) return undefined;
    const rates = new Map(
      statistics.workers
        .filter((line) => line.address === miner.address)
        .map((line) => [line.worker, statistics.ratesOf(line).minute]),
    );
    const { address, balance, earned, held, workers, payouts } = miner;
    return {
      api_version: 1,
      address,
      balance: String(balance),
      earned: String(earned),
      held,
      workers: workers.map(({ worker, shares, work, lastShareMillis }) => ({
        worker,
        hashrate: rates.get(worker) ?? 0,
        shares: String(shares),
        work: String(work),
        last_share_millis: lastShareMillis,
      })),
      payouts: payouts.map(payoutDocument),
    };
  }

  /** The newest steps of the day, of all or of one address; undefined for an unknown address. */
  async history(steps: number, text?: string): Promise<object | undefined> {
    const address = text?.toLowerCase();
    if (address !== undefined && (await this.#ports.books.miner(address)) === undefined)
      return undefined;
    const history = await this.#history(steps, address);
    return {
      api_version: 1,
      step_seconds: STEP_MILLIS / 1_000,
      steps: history.map((step) => ({
        from_millis: step.fromMillis,
        hashrate: step.work / (STEP_MILLIS / 1_000),
        blocks: step.blocks,
        expected_blocks: step.expectedBlocks,
      })),
    };
  }

  async metrics(): Promise<string> {
    const { source, statistics, clock, books } = this.#ports;
    const { release, network } = this.#options;
    const options = { prefix: 'svc_pool_', release, network };
    const server = this.#server();
    return metricsText([
      ...serverMetrics({ server, source, statistics, clock }, options),
      ...this.#poolMetrics(await books.totals()),
    ]);
  }

  #poolMetrics(totals: BooksTotals): Metric[] {
    const { writer, payer } = this.#ports;
    const metric = (
      name: string,
      type: Metric['type'],
      help: string,
      samples: Metric['samples'],
    ): Metric => ({ name: `svc_pool_${name}`, type, help, samples });
    const one = (value: number | bigint) => [{ value: Number(value) }];
    const by = (label: string, counts: Readonly<Record<string, number>>) =>
      Object.entries(counts).map(([name, value]) => ({ labels: { [label]: name }, value }));
    const states = { open: 0, sent: 0, final: 0, refused: 0, expired: 0, conflict: 0 };
    return [
      metric(
        'mode_connections',
        'gauge',
        'Connections by way of mining.',
        by('mode', this.#connections()),
      ),
      metric('rounds_total', 'counter', 'Rounds that were distributed.', one(totals.rounds)),
      metric(
        'reward_height',
        'gauge',
        'Rewards up to this height are distributed.',
        one(totals.cursorHeight),
      ),
      metric('books_blocks', 'gauge', 'Blocks in the books by state.', by('state', totals.blocks)),
      metric(
        'payouts',
        'gauge',
        'Payouts by state.',
        by('state', { ...states, ...totals.payouts }),
      ),
      metric('owed_atoms', 'gauge', 'Balances of all miners, in atoms.', one(totals.balances)),
      metric('fee_atoms', 'gauge', 'Fees of the pool, in atoms.', one(totals.fees)),
      metric('carried_atoms', 'gauge', 'Atoms that go into the next round.', one(totals.carried)),
      metric(
        'held_addresses',
        'gauge',
        'Addresses that the wallet refuses.',
        one(totals.heldAccounts),
      ),
      metric(
        'wallet_answers',
        'gauge',
        'Whether the wallet answered last.',
        one(payer?.isAnswered === true ? 1 : 0),
      ),
      metric(
        'batches_total',
        'counter',
        'Batches of shares that were written.',
        one(writer.batches),
      ),
      metric(
        'batch_seconds',
        'gauge',
        'Time that the last batch took.',
        one(writer.lastMillis / 1_000),
      ),
    ];
  }

  #history(steps: number, address?: string): Promise<HistoryStep[]> {
    const { books, clock } = this.#ports;
    const nowMillis = clock.now();
    return books.history({ nowMillis, steps, ...(address === undefined ? {} : { address }) });
  }

  #connections(): Record<RoundMode, number> {
    const { pplns, solo } = this.#ports.servers;
    return { pplns: pplns?.connections ?? 0, solo: solo?.connections ?? 0 };
  }

  /** Both servers as one, for figures that do not distinguish them. */
  #server(): Pick<StratumServer, 'connections' | 'addresses' | 'jobs' | 'bans'> {
    const { pplns, solo } = this.#ports.servers;
    const servers = [pplns, solo].filter((server) => server !== undefined);
    const sum = (value: (server: StratumServer) => number) =>
      servers.reduce((total, server) => total + value(server), 0);
    return {
      connections: sum(({ connections }) => connections),
      addresses: sum(({ addresses }) => addresses),
      jobs: sum(({ jobs }) => jobs),
      bans: { total: sum(({ bans }) => bans.total), active: sum(({ bans }) => bans.active) },
    };
  }
}

function totalsDocument(totals: BooksTotals): object {
  return {
    rounds: totals.rounds,
    root: totals.root,
    reward_height: totals.cursorHeight,
    blocks: totals.blocks,
    payouts: totals.payouts,
    owed: String(totals.balances),
    fees: String(totals.fees),
    carried: String(totals.carried),
    held_addresses: totals.heldAccounts,
  };
}

function payoutDocument({ payout, atoms, fee, ...rest }: PayoutReport): object {
  return { payout, atoms: String(atoms), fee: String(fee), ...rest };
}
