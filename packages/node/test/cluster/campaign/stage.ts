/**
 * The network that the campaign plays on: seven validators, of which two have no route and one reaches nothing
 * but a relay, or four that all have routes; two full nodes, a pruned one, a miner, and payments without an end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Cluster } from '../testing/cluster.ts';
import type { ClusterNode } from '../testing/cluster-node.ts';
import { Payer } from '../testing/payer.ts';
import type { NodePlan } from '../testing/private-network.ts';
import { processorSecondsOf } from '../testing/usage.ts';
import { pause } from '../testing/wait.ts';
import { CLEAR } from '../testing/wire-pipe.ts';
import { type GateOf, Wires } from '../testing/wires.ts';

export const PACE_MILLIS = 2_500;
export const RECOVERY_MILLIS_MAX = 20_000;
const MINER = fileURLToPath(new URL('../testing/miner-process.ts', import.meta.url));
const ROUND_MILLIS = 2_000;
const START_MILLIS_MAX = 120_000;
/** Behind whom the last validator lives. */
const RELAY = 'v1';
const RELAYED = 'v7';

const bootstrap = ['v1', 'v2'];
const ROUTED: readonly NodePlan[] = [
  { name: 'v1', validator: 'routed' },
  { name: 'v2', validator: 'routed', bootstrap: ['v1'] },
  { name: 'v3', validator: 'routed', bootstrap },
  { name: 'v4', validator: 'routed', bootstrap },
];
const UNROUTED: readonly NodePlan[] = [
  { name: 'v5', validator: 'unrouted', bootstrap },
  { name: 'v6', validator: 'unrouted', bootstrap },
  { name: RELAYED, validator: 'unrouted', bootstrap },
];
const OTHERS: readonly NodePlan[] = [
  { name: 'full1', storage: 'archive', bootstrap },
  { name: 'full2', storage: 'full', bootstrap: ['full1'] },
  { name: 'pruned', storage: 'pruned', bootstrap: ['full1', 'v3'] },
];

export interface StageWish {
  readonly validators: 4 | 7;
  /** How long everything is on its way in bad weather. */
  readonly eachWayMillis: number;
}

export class Stage {
  readonly wires: Wires;
  readonly cluster: Cluster;
  readonly payer: Payer;
  readonly eachWayMillis: number;
  readonly #miner: ChildProcess;
  readonly #paying: Promise<void>;
  #isPaying = true;
  #processor = { used: 0, at: 0 };

  /** Whatever it has started is ended again if it does not come up. */
  static async open(wish: StageWish, say: (text: string) => void): Promise<Stage> {
    const wires = await Wires.open();
    wires.gateOf = relayed(() => 'open');
    const cluster = await Cluster.make({
      paceMillis: PACE_MILLIS,
      placeOf: wires.placeOf,
      nodes: [...ROUTED, ...(wish.validators === 7 ? UNROUTED : []), ...OTHERS],
    });
    try {
      await cluster.start();
      say('all nodes are ready');
      await cluster.advance(2, START_MILLIS_MAX);
      return new Stage(wish, wires, cluster);
    } catch (error) {
      await cluster.close();
      wires.close();
      throw error;
    }
  }

  private constructor({ eachWayMillis }: StageWish, wires: Wires, cluster: Cluster) {
    this.eachWayMillis = eachWayMillis;
    this.wires = wires;
    this.cluster = cluster;
    this.payer = new Payer(cluster.network);
    this.#miner = this.#startMiner(this.observer);
    this.#paying = this.#pay();
    this.#processor = this.#processorSeconds();
  }

  node(name: string): ClusterNode {
    return this.cluster.node(name);
  }

  /** The node whose heights tell the pace; the miner is beside it. */
  get observer(): ClusterNode {
    return this.node('full1');
  }

  /** What connections meet from now on, on top of what the relayed validator always meets. */
  gate(gateOf: GateOf): void {
    this.wires.gateOf = relayed(gateOf);
    this.wires.apply();
  }

  heal(): void {
    this.wires.weather = CLEAR;
    this.gate(() => 'open');
  }

  /** Milliseconds until everybody has two cuts more than anybody has now, with equal states. */
  async recovery(nodes: readonly ClusterNode[] = this.cluster.all): Promise<number> {
    const millis = await this.cluster.advance(2, RECOVERY_MILLIS_MAX, nodes);
    await this.cluster.agree(nodes);
    return Math.round(millis);
  }

  async heights(): Promise<string> {
    const { all } = this.cluster;
    const heights = await Promise.all(
      all.map(async (node) => `${node.name} ${await node.height()}`),
    );
    return heights.join(', ');
  }

  /** How much of the processors all nodes and the miner have used since this was asked last. */
  processorShare(): string {
    const now = this.#processorSeconds();
    const [used, passed] = [now.used - this.#processor.used, now.at - this.#processor.at];
    this.#processor = now;
    return `${((100 * used) / passed).toFixed(0)} % of one processor`;
  }

  /** Ends the payments and waits until the last is executed. */
  async settle(): Promise<number> {
    this.#isPaying = false;
    await this.#paying;
    await this.payer.settle(this.node('full2'), 8 * RECOVERY_MILLIS_MAX);
    return this.payer.ids.length;
  }

  async close(): Promise<void> {
    this.#isPaying = false;
    await this.#paying;
    this.#miner.kill('SIGKILL');
    await this.cluster.close();
    this.wires.close();
  }

  #processorSeconds(): { readonly used: number; readonly at: number } {
    const ids = [this.#miner.pid, ...this.cluster.all.map(({ processId }) => processId)];
    const used = ids.reduce<number>((sum, id) => sum + processorSecondsOf(id), 0);
    return { used, at: performance.now() / 1_000 };
  }

  async #pay(): Promise<void> {
    let round = -1;
    while (this.#isPaying) {
      round += 1;
      const node = this.cluster.all[round % this.cluster.all.length] as ClusterNode;
      const accounts = [0, 1, 2].map((step) => (3 * round + step) % 9);
      await this.payer.round(node, accounts).catch(() => 0);
      await pause(ROUND_MILLIS);
    }
  }

  #startMiner({ planned, mining }: ClusterNode): ChildProcess {
    const { chainId, keys } = this.cluster.network;
    const payout = keys.accounts[9]?.text;
    const wish = { url: mining, chainId, payout, paceMillis: PACE_MILLIS };
    const command = [...planned.place.prefix, process.execPath, MINER, JSON.stringify(wish)];
    const [first = '', ...rest] = command;
    return spawn(first, rest, { stdio: ['ignore', 'ignore', 'inherit'] });
  }
}

function relayed(gateOf: GateOf): GateOf {
  return (from, to, port) => {
    const isBeyondRelay = from === RELAYED && port === 'overlay' && to !== RELAY;
    return isBeyondRelay ? 'refused' : gateOf(from, to, port);
  };
}
