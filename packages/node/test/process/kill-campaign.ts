/**
 * Kills a development network under load again and again, also while it starts, and holds what it says
 * afterwards against what it had acknowledged. After the last kill another process executes the whole chain
 * again, holds every root against its header, and the network goes on with the new store.
 *
 * Usage: node packages/node/test/process/kill-campaign.ts [rounds]
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { MEMORY_PARENT, temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { createManifest } from 'svc-wasm/protocol';
import { svcd } from '../../src/cli/testing/svcd.ts';
import { devKeys } from '../../src/dev/dev-genesis.ts';
import { ChainMemory, countStates } from './campaign/chain-memory.ts';
import { NetworkProcess, type ProcessFacts } from './campaign/network-process.ts';
import { PayingLoad } from './campaign/paying-load.ts';
import { until } from './kit.ts';
import { OutsideMiner } from './outside-miner.ts';

export interface CampaignReport {
  readonly rounds: number;
  /** Of these many were killed before they were ready. */
  readonly killedStarts: number;
  readonly height: number;
  readonly states: Readonly<Record<string, number>>;
  readonly slowestStartMillis: number;
}

/** The account that the built-in miner is paid to pays nobody. */
const PAYERS = 9;
const ROUNDS = 20;
const LOAD_MILLIS = { least: 300, most: 3_000 };
const START_MILLIS = { least: 100, most: 2_500 };
/** So often a start is killed too. */
const KILLED_STARTS = 0.25;
const LOOK_MILLIS = 50;
const UNDECIDED = ['processing', 'receiving', 'registered'];

class Campaign {
  readonly #directory = temporaryDirectory(undefined, MEMORY_PARENT);
  readonly #network = new NetworkProcess(this.#directory, '100ms');
  readonly #memory = new ChainMemory();
  readonly #say: (line: string) => void;
  readonly #blocks: string[] = [];
  #load: PayingLoad | undefined;
  #miner: OutsideMiner | undefined;
  #killedStarts = 0;
  #slowestStart = 0;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  async run(rounds: number): Promise<CampaignReport> {
    try {
      for (let round = 1; round <= rounds; round++) {
        const facts = await this.#start();
        await this.#checkWhatIsKept(facts);
        await this.#payUntilKilled(facts, round);
      }
      await this.#executeAgain();
      const states = await this.#settle();
      return {
        rounds,
        killedStarts: this.#killedStarts,
        height: this.#memory.height,
        states,
        slowestStartMillis: Math.round(this.#slowestStart),
      };
    } catch (error) {
      this.#say(this.#network.said);
      throw error;
    } finally {
      await this.#network.dispose();
      await this.#miner?.close();
      rmSync(this.#directory, { recursive: true, force: true });
    }
  }

  async #start(): Promise<ProcessFacts> {
    while (Math.random() < KILLED_STARTS) {
      this.#network.start();
      await pause(between(START_MILLIS));
      await this.#network.kill();
      this.#killedStarts++;
    }
    const begun = performance.now();
    this.#network.start();
    const facts = await this.#network.ready();
    this.#slowestStart = Math.max(this.#slowestStart, performance.now() - begun);
    return facts;
  }

  async #checkWhatIsKept({ api_url }: ProcessFacts): Promise<void> {
    await this.#memory.look(api_url);
    await this.#memory.compare(api_url);
    await countStates(api_url, this.#acknowledged);
    for (const id of this.#blocks) {
      const { status } = await fetch(`${api_url}/v1/blocks/${id}`);
      assert.equal(status, 200, `block ${id} was accepted and is gone`);
    }
  }

  async #payUntilKilled(facts: ProcessFacts, round: number): Promise<void> {
    this.#load ??= await loadFor(facts);
    this.#miner ??= new OutsideMiner(facts.chain_id);
    const load = this.#load;
    const before = load.acknowledged.size;
    const paying = load.run(facts.api_url);
    this.#blocks.push(await this.#miner.mine(facts.mining_url, load.payer));
    const end = performance.now() + between(LOAD_MILLIS);
    while (performance.now() < end) {
      await this.#memory.look(facts.api_url);
      await pause(LOOK_MILLIS);
    }
    await this.#network.kill();
    await paying;
    const more = load.acknowledged.size - before;
    const warnings = this.#network.warnings.map((warning) => `; ${warning}`).join('');
    const height = this.#memory.height;
    this.#say(`round ${round}: killed at cut ${height}, ${more} more acknowledged${warnings}`);
  }

  /** Every acknowledged transaction comes to an end. */
  async #settle(): Promise<Readonly<Record<string, number>>> {
    const facts = await this.#start();
    await this.#checkWhatIsKept(facts);
    const states = await until(async () => {
      const counts = await countStates(facts.api_url, this.#acknowledged);
      return UNDECIDED.some((state) => state in counts) ? undefined : counts;
    }, 'all transactions to be decided');
    await this.#memory.look(facts.api_url);
    assert.equal(await this.#network.end(), 0);
    return states;
  }

  /** The whole chain, as the last kill left it; the network goes on with what comes of it. */
  async #executeAgain(): Promise<void> {
    const words = ['reindex', '--network', 'development', '--data-dir', join('state', 'node')];
    const { code, stdout, stderr } = await svcd(words, { directory: this.#directory });
    assert.equal(code, 0, stderr);
    assert.ok(Number(stdout) >= this.#memory.height, stderr);
  }

  get #acknowledged(): readonly string[] {
    return [...(this.#load?.acknowledged ?? [])];
  }
}

async function loadFor({ chain_id }: ProcessFacts): Promise<PayingLoad> {
  await init();
  const manifest = createManifest('development', fromHex(chain_id));
  return new PayingLoad(devKeys(1).accounts.slice(0, PAYERS), manifest);
}

function between({ least, most }: { least: number; most: number }): number {
  return least + Math.random() * (most - least);
}

function pause(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}

export function runKillCampaign(
  rounds: number,
  say: (line: string) => void = () => {},
): Promise<CampaignReport> {
  return new Campaign(say).run(rounds);
}

if (import.meta.main) {
  const rounds = Number(process.argv[2] ?? ROUNDS);
  const report = await runKillCampaign(rounds, (line) => process.stdout.write(`${line}\n`));
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
}
