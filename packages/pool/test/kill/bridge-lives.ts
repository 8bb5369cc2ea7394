/**
 * A bridge beside the pool, in front of the same node, that is killed while a miner works for its own address: every
 * block whose share was acknowledged is registered once, and none that was not sent.
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { BridgeFacts } from '../../../bridge/test/bridge-facts.ts';
import {
  makeCuts,
  type NetworkFacts,
  Program,
  portOf,
  readJson,
  untilOrOver,
} from '../../../mining/test/server/testing/processes.ts';
import { mineUntilClosed, type Tally } from './mine.ts';

export interface BridgeLife {
  readonly facts: NetworkFacts;
  readonly directory: string;
  readonly intervalCuts: number;
  /** The kill comes after so many acknowledged shares, and so much later. */
  readonly shares: number;
  readonly killMillis: number;
}

interface RecentBlock {
  readonly block_id: string;
  readonly payout_address: string;
}

/** A block is registered with the first cut that is made when the node has it; the others are for certainty. */
const CUTS_TO_REGISTER = 4;
const RECENT_BLOCKS_MAX = 500;

export class BridgeLives {
  readonly #tally: Tally;
  readonly #registered = new Set<string>();

  constructor(address: string) {
    this.#tally = { address, acknowledged: 0, unanswered: 0 };
  }

  /** Starts a bridge, kills it while its miner works, and counts the blocks that the chain has. */
  async killOnce({ facts, directory, intervalCuts, ...kill }: BridgeLife): Promise<void> {
    const words = ['--node', facts.mining_url, '--listen', '127.0.0.1:0', '--stats', 'off'];
    const more = ['--metrics', 'off', '--pow', 'light', '--difficulty', '4', '--json'];
    const bridge = new Program('svc-bridge', [...words, ...more], directory);
    const { listen } = await bridge.facts<BridgeFacts>();
    const mining = mineUntilClosed(this.#tally, portOf(listen[0]), intervalCuts);
    const wanted = this.#tally.acknowledged + kill.shares;
    const isReached = (): boolean => this.#tally.acknowledged >= wanted;
    const reached = untilOrOver([bridge], isReached, 'the bridge acknowledges shares');
    await Promise.race([reached, mining]);
    await reached;
    await delay(kill.killMillis);
    await bridge.stop('SIGKILL');
    await mining;
    await makeCuts(facts.api_url, CUTS_TO_REGISTER);
    await this.#checkBlocks(facts);
  }

  async #checkBlocks({ api_url: api }: NetworkFacts): Promise<void> {
    const url = `${api}/v1/blocks/recent?limit=${RECENT_BLOCKS_MAX}`;
    const { blocks } = await readJson<{ blocks: RecentBlock[] }>(url);
    const { address, acknowledged, unanswered } = this.#tally;
    for (const { block_id: id, payout_address: payout } of blocks)
      if (payout === address) this.#registered.add(id);
    const { size } = this.#registered;
    assert.ok(size >= acknowledged, `${size} blocks of ${acknowledged} acknowledged ones`);
    assert.ok(size <= acknowledged + unanswered, `${size} blocks are too many`);
  }
}
