/**
 * A private network of real processes, and what can be said of all of them at once.
 */
import assert from 'node:assert/strict';
import { ClusterNode } from './cluster-node.ts';
import type { Place } from './place.ts';
import { type NetworkPlan, type NodePlan, PrivateNetwork } from './private-network.ts';
import { waited } from './wait.ts';

/** Set to keep the files of a cluster, logs among them. */
const KEEP = 'SVC_CLUSTER_KEEP';

export class Cluster {
  readonly network: PrivateNetwork;
  readonly nodes = new Map<string, ClusterNode>();

  static async make(plan: NetworkPlan): Promise<Cluster> {
    const network = await PrivateNetwork.make(plan);
    const cluster = new Cluster(network);
    for (const [name, planned] of network.nodes) cluster.nodes.set(name, new ClusterNode(planned));
    return cluster;
  }

  private constructor(network: PrivateNetwork) {
    this.network = network;
  }

  get all(): readonly ClusterNode[] {
    return [...this.nodes.values()];
  }

  node(name: string): ClusterNode {
    return this.nodes.get(name) ?? assert.fail(`there is no node ${name}`);
  }

  async start(nodes: readonly ClusterNode[] = this.all, millisMax?: number): Promise<void> {
    for (const node of nodes) node.launch();
    await Promise.all(nodes.map((node) => node.ready(millisMax)));
  }

  async add(plan: NodePlan, place?: Place): Promise<ClusterNode> {
    const node = new ClusterNode(await this.network.add(plan, place));
    this.nodes.set(plan.name, node);
    return node;
  }

  /** Ends a node that is no part of the network any more. */
  async drop(node: ClusterNode): Promise<void> {
    await node.kill();
    this.nodes.delete(node.name);
  }

  /** The highest cut that anybody has. */
  async tip(nodes: readonly ClusterNode[] = this.all): Promise<number> {
    return Math.max(...(await Promise.all(nodes.map((node) => node.height()))));
  }

  /** Waits until all have a cut that is so many above the highest now; how long the slowest took. */
  async advance(
    cuts: number,
    millisMax: number,
    nodes: readonly ClusterNode[] = this.all,
  ): Promise<number> {
    const height = (await this.tip(nodes)) + cuts;
    const times = await Promise.all(nodes.map((node) => node.reach(height, millisMax)));
    return Math.max(...times);
  }

  /** The same cut with the same state everywhere, at the highest height that all have. */
  async agree(nodes: readonly ClusterNode[] = this.all): Promise<number> {
    const heights = await Promise.all(nodes.map((node) => node.height()));
    const height = Math.min(...heights);
    assert.ok(height > 0, `heights ${heights.join(' ')}`);
    const cuts = await Promise.all(nodes.map((node) => node.cutAt(height)));
    const [first] = cuts;
    for (const [index, cut] of cuts.entries())
      assert.deepEqual(cut, first, `${nodes[index]?.name} differs at ${height}`);
    return height;
  }

  /** Waits until a node has at least so many peers. */
  async connected(node: ClusterNode, least: number, millisMax: number): Promise<number> {
    const look = async () => {
      const { peers } = await node.get<{ peers: number }>('/v1/node/sync');
      return peers >= least ? peers : undefined;
    };
    return (await waited(look, `${node.name} to have ${least} peers`, millisMax)).found;
  }

  /** Ends whatever still runs and removes the files. */
  async close(): Promise<void> {
    for (const node of this.nodes.values()) {
      node.signal('SIGCONT');
      await node.kill();
    }
    if (process.env[KEEP] === undefined) this.network.remove();
    else process.stdout.write(`files are kept in ${this.network.directory}\n`);
  }
}
