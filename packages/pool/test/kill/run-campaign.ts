/**
 * Kills a pool at random moments while miners work for it and it pays them, and before it its node, its wallet daemon,
 * a miner or a bridge beside it, then audits what is left: every share that was acknowledged is in the books once, every reward of the ledger
 * is in one round, and every payout was paid once.
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { FIRST_ROOT, readRoundDocument, roundFaults, roundRoot } from 'svc-mining';
import { init } from 'svc-wasm';
import { TestMiner } from '../../../bridge/test/test-miner.ts';
import {
  killPrograms,
  makeCuts,
  type NetworkFacts,
  Program,
  portOf,
  readJson,
  untilOrOver,
} from '../../../mining/test/server/testing/processes.ts';
import { foreignAddresses } from '../foreign-addresses.ts';
import { type PoolFacts, poolWords } from '../pool-words.ts';
import { BridgeLives } from './bridge-lives.ts';
import { mineUntilClosed, type Tally } from './mine.ts';
import { Stage } from './stage.ts';

/** What is killed in one run of the pool; the pool itself is killed last. */
export type Victim = 'pool' | 'wallet' | 'node' | 'miner' | 'bridge';

export interface CampaignOptions {
  /** Killed in turn. */
  readonly victims: readonly Victim[];
  readonly rounds: number;
  readonly seed: number;
  readonly directory: string;
  readonly onProgress: (text: string) => void;
}

export interface CampaignFigures {
  readonly acknowledged: number;
  readonly unanswered: number;
  readonly recorded: number;
  readonly unrecordedBlocks: number;
  readonly rounds: number;
  readonly payouts: number;
}

interface PoolTally extends Tally {
  /** Miners of this process for each kind of pool, and `svc-miner`, which is killed itself. */
  readonly mode: 'pplns' | 'solo' | 'program';
}

interface MinerDocument {
  readonly workers: readonly { readonly shares: string }[];
  readonly payouts: readonly { readonly state: string }[];
}

interface Statistics {
  readonly pool: {
    readonly rounds: number;
    /** Rewards up to this height are distributed. */
    readonly reward_height: number;
    readonly blocks: Readonly<Record<string, number>>;
    readonly payouts: Readonly<Record<string, number>>;
    readonly owed: string;
    readonly fees: string;
    readonly carried: string;
  };
}

const CUTS_A_ROUND = 40;
/** A reward is paid so many cuts after the anchor. */
const WINDOW_CUTS = 98;
const SHARES_A_LIFE_MAX = 12;
const KILL_MILLIS_MAX = 300;
/** In coins. With the one every round begins payouts; with the other no balance is large enough for a payout. */
const LOW_THRESHOLD = '0.01';
const NO_PAYOUTS_THRESHOLD = '1000000';

export async function runCampaign(options: CampaignOptions): Promise<CampaignFigures> {
  await init();
  try {
    const stage = await Stage.open(options.directory, options.victims);
    try {
      await makeCuts(stage.facts.api_url, 1);
      return await new Campaign(options, stage).run();
    } finally {
      // A network that is asked to end stops its wallet daemon; a killed one would leave it running.
      await stage.close();
    }
  } finally {
    await killPrograms();
  }
}

class Campaign {
  readonly #options: CampaignOptions;
  readonly #stage: Stage;
  readonly #tallies: readonly PoolTally[];
  readonly #bridges: BridgeLives;
  #intervalCuts = 0;
  #random: number;
  #unrecordedBlocks = 0;

  constructor(options: CampaignOptions, stage: Stage) {
    this.#options = options;
    this.#stage = stage;
    this.#random = options.seed;
    const modes = ['pplns', 'pplns', 'solo', 'program'] as const;
    const addresses = foreignAddresses(modes.length + 1);
    this.#tallies = modes.map((mode, place) => ({
      address: addresses[place] as string,
      mode,
      acknowledged: 0,
      unanswered: 0,
    }));
    this.#bridges = new BridgeLives(addresses[modes.length] as string);
  }

  get #facts(): NetworkFacts {
    return this.#stage.facts;
  }

  get #rig(): PoolTally {
    return this.#tallies.find(({ mode }) => mode === 'program') as PoolTally;
  }

  async run(): Promise<CampaignFigures> {
    const chain = await readJson<{ interval_cuts: number }>(
      `${this.#facts.mining_url}/v1/mining/chain`,
    );
    this.#intervalCuts = chain.interval_cuts;
    for (let round = 1; round <= this.#options.rounds; round++) {
      const { victims } = this.#options;
      const victim = victims[(round - 1) % victims.length] as Victim;
      await this.#killOnce(victim);
      const acknowledged = this.#sum((tally) => tally.acknowledged);
      this.#options.onProgress(
        `kill ${round}, ${victim}: ${acknowledged} shares acknowledged so far`,
      );
    }
    return await this.#audit();
  }

  /** One run of the pool: miners work, cuts come, the victim is killed in between, and the pool some time after. */
  async #killOnce(victim: Victim): Promise<void> {
    const { program, facts } = await this.#startPool(LOW_THRESHOLD);
    const rig = victim === 'miner' ? this.#startMiner(facts) : undefined;
    const own = this.#tallies.filter(({ mode }) => mode !== 'program');
    const miners = own.map((tally) => {
      const listen = tally.mode === 'pplns' ? facts.pplns_listen : facts.solo_listen;
      return mineUntilClosed(tally, portOf(listen[0]), this.#intervalCuts);
    });
    const work = Promise.all([...miners, this.#makeCuts(program)]);
    // A random number of shares, then a random moment: between a share and its row, its block, or its answer.
    const wanted = this.#sum((tally) => tally.acknowledged) + this.#below(SHARES_A_LIFE_MAX);
    const isReached = (): boolean => this.#sum((tally) => tally.acknowledged) >= wanted;
    const reached = untilOrOver([program], isReached, 'shares are acknowledged');
    // A miner or the cuts may fail meanwhile, and the shares would never come.
    await Promise.race([reached, work]);
    await reached;
    if (rig !== undefined) await this.#killMiner(rig);
    if (victim === 'bridge') await this.#killBridge();
    if (victim === 'node' || victim === 'wallet') {
      await delay(this.#below(KILL_MILLIS_MAX));
      await this.#stage.kill(victim);
    }
    await delay(this.#below(KILL_MILLIS_MAX));
    await program.stop('SIGKILL');
    await work;
    this.#countUnrecorded(program);
    await this.#stage.restore();
  }

  #startMiner({ pplns_listen: pplns }: PoolFacts): Program {
    const { directory } = this.#options;
    const url = `svc+tcp://127.0.0.1:${portOf(pplns[0])}#v2`;
    const { address } = this.#rig;
    const words = ['--url', url, '--user', `${address}.rig`, '--shares-dir', 'shares'];
    const devices = ['--device', 'cpu', '--threads', '1', '--dataset-dir', 'dataset'];
    return new Program(
      'svc-miner',
      [...words, ...devices, '--no-stats', '--no-metrics'],
      directory,
    );
  }

  /** Kills it once a share at least was acknowledged, and counts those that were. */
  async #killMiner(rig: Program): Promise<void> {
    await rig.says(/accepted \(/);
    await delay(this.#below(KILL_MILLIS_MAX));
    await rig.stop('SIGKILL');
    const last = [...rig.stderr.matchAll(/accepted \(([0-9]+)\//g)].at(-1)?.[1];
    this.#rig.acknowledged += Number(last);
  }

  async #killBridge(): Promise<void> {
    await this.#bridges.killOnce({
      facts: this.#facts,
      directory: this.#options.directory,
      intervalCuts: this.#intervalCuts,
      shares: 1 + this.#below(SHARES_A_LIFE_MAX),
      killMillis: this.#below(KILL_MILLIS_MAX),
    });
  }

  #countUnrecorded(program: Program): void {
    this.#unrecordedBlocks += program.stderr.match(/was not in the books/g)?.length ?? 0;
  }

  async #startPool(threshold: string) {
    const more = [
      ...['--solo-listen', '127.0.0.1:0', '--payout-interval', '1', '--fee', '2.5'],
      ...['--payout-threshold', threshold, '--window', '50'],
    ];
    const program = new Program(
      'svc-pool',
      poolWords({ facts: this.#facts, more }),
      this.#options.directory,
    );
    return { program, facts: await program.facts<PoolFacts>() };
  }

  async #makeCuts(program: Program): Promise<void> {
    try {
      for (let made = 0; made < CUTS_A_ROUND && !program.isOver; made += 4)
        await makeCuts(this.#facts.api_url, 4);
    } catch (error) {
      // The node was killed: it may have made the cuts or not.
      if (!this.#stage.isNodeKilled) throw error;
    }
  }

  /** Completes everything, then compares books, ledger and miners. */
  async #audit(): Promise<CampaignFigures> {
    const recorded = await this.#distributeRewards();
    // The blocks that carry the last payments earn rewards of their own: a pool that kept paying would never end.
    const { program, facts } = await this.#startPool(NO_PAYOUTS_THRESHOLD);
    try {
      const web = `http://${facts.web}`;
      await this.#finishPayouts(program, facts);
      const { pool } = await statisticsOf(facts);
      const credited = await this.#checkRounds(web, pool);
      await this.#checkPayouts(web, credited, BigInt(pool.owed));
      this.#countUnrecorded(program);
      return {
        acknowledged: this.#sum((tally) => tally.acknowledged),
        unanswered: this.#sum((tally) => tally.unanswered),
        recorded,
        unrecordedBlocks: this.#unrecordedBlocks,
        rounds: pool.rounds,
        payouts: Object.values(pool.payouts).reduce((sum, count) => sum + count, 0),
      };
    } finally {
      await program.stop();
    }
  }

  /** Counts the shares, then makes cuts until every block that was found is paid and its payouts have begun. */
  async #distributeRewards(): Promise<number> {
    const { program, facts } = await this.#startPool(LOW_THRESHOLD);
    try {
      const recorded = await this.#checkShares(`http://${facts.web}`);
      await makeCuts(this.#facts.api_url, WINDOW_CUTS);
      await untilOrOver(
        [program, ...this.#stage.programs],
        async () => {
          const { blocks, payouts } = (await statisticsOf(facts)).pool;
          return blocks['found'] === 0 && Object.keys(payouts).length > 0;
        },
        'no block waits, and payouts have begun',
      );
      this.#countUnrecorded(program);
      return recorded;
    } finally {
      await program.stop();
    }
  }

  /** Every acknowledged share once: no fewer than were acknowledged, no more than were sent. */
  async #checkShares(web: string): Promise<number> {
    let recorded = 0;
    for (const { address, mode, acknowledged, unanswered } of this.#tallies) {
      const answer = await fetch(`${web}/v1/miners/${address}`);
      const { workers } = (
        answer.status === 404 ? { workers: [] } : await answer.json()
      ) as MinerDocument;
      const shares = workers.reduce((sum, worker) => sum + Number(worker.shares), 0);
      assert.ok(shares >= acknowledged, `${address}: ${shares} of ${acknowledged} acknowledged`);
      // How many shares a program had sent when it was killed is not known.
      if (mode !== 'program')
        assert.ok(shares <= acknowledged + unanswered, `${address}: ${shares} are too many`);
      recorded += shares;
    }
    return recorded;
  }

  /** Mines blocks, which carry the payments, until all payments are final and all rewards so far distributed. */
  async #finishPayouts(program: Program, facts: PoolFacts): Promise<void> {
    const [tally] = this.#tallies;
    assert.ok(tally !== undefined);
    const programs = [program, ...this.#stage.programs];
    const miner = new TestMiner({
      way: { type: 'tcp', port: portOf(facts.pplns_listen[0]) },
      protocol: 'svc-mining-v2',
      username: `${tally.address}.last`,
      intervalCuts: this.#intervalCuts,
    });
    try {
      await miner.connect();
      await untilOrOver(
        programs,
        async () => {
          await miner.mineBlock();
          await makeCuts(this.#facts.api_url, 2);
          const { payouts } = (await statisticsOf(facts)).pool;
          return payouts['open'] === undefined && payouts['sent'] === undefined;
        },
        'every payout is final',
      );
    } finally {
      await miner.close();
    }
    const sync = `${this.#facts.api_url}/v1/node/sync`;
    const { finalized_height: head } = await readJson<{ finalized_height: number }>(sync);
    await untilOrOver(
      programs,
      async () => (await statisticsOf(facts)).pool.reward_height >= head,
      'every reward is distributed',
    );
  }

  /** Rounds follow each other, and have every reward that the ledger paid to the pool, once. */
  async #checkRounds(web: string, pool: Statistics['pool']): Promise<bigint> {
    let root = FIRST_ROOT;
    let leftover = 0n;
    let credited = 0n;
    let rewards = 0n;
    const blocks = new Set<string>();
    for (let number = 1; number <= pool.rounds; number++) {
      const published = readRoundDocument(await readJson(`${web}/v1/rounds/${number}`));
      const { round } = published;
      assert.deepEqual(roundFaults(round), []);
      assert.equal(roundRoot(round), published.root);
      assert.deepEqual([round.previousRoot, round.carried], [root, leftover]);
      assert.ok(!blocks.has(round.blockId), 'a block has one round');
      blocks.add(round.blockId);
      root = published.root;
      leftover = round.leftover;
      rewards += round.reward;
      credited += round.entries.reduce((sum, { atoms }) => sum + atoms, 0n);
    }
    assert.equal(credited + BigInt(pool.fees) + BigInt(pool.carried), rewards);
    assert.equal(rewards, await this.#rewardsOnLedger());
    return credited;
  }

  async #rewardsOnLedger(): Promise<bigint> {
    const address = this.#facts.accounts[0]?.address as string;
    return await this.#received(address, 'work_reward');
  }

  /** What an address received on the ledger, from one source. */
  async #received(address: string, source: string): Promise<bigint> {
    let sum = 0n;
    let cursor: string | undefined;
    do {
      const query = cursor === undefined ? '' : `&cursor=${cursor}`;
      const page = await readJson<{
        events: { kind: string; source: string; amount: string }[];
        next_cursor?: string;
      }>(`${this.#facts.api_url}/v1/address/${address}/history?limit=256${query}`);
      for (const event of page.events)
        if (event.kind === 'received' && event.source === source) sum += BigInt(event.amount);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    return sum;
  }

  /** The miners have on the ledger what was credited, less what is owed and the fees of the payments. */
  async #checkPayouts(web: string, credited: bigint, owed: bigint): Promise<void> {
    let received = 0n;
    for (const { address } of this.#tallies) received += await this.#received(address, 'regular');
    let sent = 0n;
    let fees = 0n;
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const { payouts } = await readJson<{
        payouts: { payout: number; state: string; atoms: string; fee: string }[];
      }>(`${web}/v1/payouts?before=${before}`);
      for (const { payout, state, atoms, fee } of payouts) {
        before = payout;
        if (state !== 'final') continue;
        sent += BigInt(atoms);
        fees += BigInt(fee);
      }
      if (payouts.length === 0) break;
    }
    assert.equal(received, sent - fees, 'every payout was paid once');
    assert.equal(sent + owed, credited, 'and nothing else');
  }

  #sum(value: (tally: PoolTally) => number): number {
    return this.#tallies.reduce((sum, tally) => sum + value(tally), 0);
  }

  /** A small generator of numbers, so that a seed names a campaign. */
  #below(bound: number): number {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.trunc((this.#random / 2 ** 32) * bound);
  }
}

function statisticsOf(facts: PoolFacts): Promise<Statistics> {
  return readJson<Statistics>(`http://${facts.web}/v1/stats`);
}
