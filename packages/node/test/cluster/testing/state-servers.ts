/**
 * Nodes that keep a large state for newcomers, and a newcomer: real processes on loopback. The chain has one validator, so
 * that the others can be killed and lie.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cluster } from './cluster.ts';
import type { ClusterNode } from './cluster-node.ts';
import { preparedGenesis, takeChain } from './prepared-chain.ts';
import { waited } from './wait.ts';

export interface StateServersPlan {
  /** Where the chain was prepared; the directories of the servers are made there too. */
  readonly folder: string;
  /** Full nodes beside the validator. */
  readonly followers: number;
  /** Of each server; 0 for no limit. */
  readonly uploadKilobytesPerSecond: number;
  /** The last of the followers sends wrong ranges. */
  readonly isLastLying: boolean;
}

const STATE_MILLIS_MAX = 1_800_000;
const CUTS_MIN = 60;
/** A chain of hours ago makes missed cuts for long: a state is kept on the way, and the next one when it can have been fetched. */
const CUTS_MAX = 250;

type Document = Record<string, Record<string, unknown> | undefined>;

export class StateServers {
  readonly cluster: Cluster;
  readonly servers: readonly ClusterNode[];

  static async start(plan: StateServersPlan): Promise<StateServers> {
    const { folder, uploadKilobytesPerSecond } = plan;
    const genesis = preparedGenesis(folder);
    const { paceMillis, timeMillis } = genesis;
    const followers = Array.from({ length: plan.followers }, (_, index) => `follower-${index}`);
    const names = ['validator', ...followers];
    const cluster = await Cluster.make({
      parent: folder,
      genesis,
      paceMillis,
      nodes: names.map((name) =>
        name === 'validator' ? { name, validator: 'routed' } : { name, bootstrap: ['validator'] },
      ),
    });
    try {
      const servers = names.map((name) => cluster.node(name));
      const missed = Math.ceil((Date.now() - timeMillis) / paceMillis);
      const everyCuts = Math.min(CUTS_MAX, Math.max(CUTS_MIN, missed));
      for (const { planned } of servers) {
        takeChain(folder, planned.directory, planned.validator >= 0);
        editSettings(planned.directory, (settings) => {
          settings['storage'] = { ...settings['storage'], state_every_cuts: everyCuts };
          const upload = { upload_kilobytes_per_second: uploadKilobytesPerSecond };
          settings['peers'] = { ...settings['peers'], ...upload };
        });
      }
      const last = servers.at(-1);
      if (plan.isLastLying && last !== undefined) last.fault = 'wrong-ranges';
      await cluster.start(servers, STATE_MILLIS_MAX);
      return new StateServers(cluster, servers);
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  private constructor(cluster: Cluster, servers: readonly ClusterNode[]) {
    this.cluster = cluster;
    this.servers = servers;
  }

  /** Waits until all servers have kept a state. */
  async kept(): Promise<void> {
    for (const server of this.servers)
      await waited(
        async () => {
          server.expectAlive();
          return stateIn(server) === undefined ? undefined : true;
        },
        `${server.name} to keep a state`,
        STATE_MILLIS_MAX,
      );
  }

  /** A node that begins with a state; it is not started. */
  async newcomer(cacheMegabytes: number): Promise<ClusterNode> {
    const trust = await this.#trusted();
    const bootstrap = this.servers.map(({ name }) => name);
    const node = await this.cluster.add({ name: 'newcomer', bootstrap, cacheMegabytes });
    editSettings(node.planned.directory, (settings) => {
      settings['sync'] = { state: true, trust };
    });
    return node;
  }

  /** The cut before the newest state that all keep: the trust in the genesis of a development network is short. */
  async #trusted(): Promise<string> {
    const heights = this.servers.map((server) => Number(stateIn(server)?.split('/').at(-1)));
    const height = Math.min(...heights) - 1;
    const { cut_id: cutId } = await (this.servers[0] as ClusterNode).cutAt(height);
    return `${height}:${cutId}`;
  }

  close(): Promise<void> {
    return this.cluster.close();
  }
}

/** The folder of the newest state that a node keeps. */
export function stateIn({ planned }: ClusterNode): string | undefined {
  const states = join(planned.directory, 'data', 'states');
  const heights = existsSync(states) ? readdirSync(states) : [];
  const whole = heights.filter((name) => /^[0-9]+$/.test(name)).map(Number);
  return whole.length === 0 ? undefined : join(states, String(Math.max(...whole)));
}

function rangesOf({ planned }: ClusterNode): string {
  return join(planned.directory, 'data', 'state-sync', 'fetched', 'ranges');
}

/** The bytes of ranges that have come to a newcomer, as far as the disk has written them. */
export function fetchedBytes(node: ClusterNode): number {
  const file = rangesOf(node);
  return existsSync(file) ? 512 * statSync(file).blocks : 0;
}

/** Whether some range has come. */
export function hasFetched(node: ClusterNode): boolean {
  const file = rangesOf(node);
  return existsSync(file) && statSync(file).size > 0;
}

export function hasChain({ planned }: ClusterNode): boolean {
  return existsSync(join(planned.directory, 'data', 'chain'));
}

/** The lines of a node's log that have a message, since its last start. */
export function told(node: ClusterNode, message: string): Record<string, number>[] {
  return node.stderr
    .split('\n')
    .filter((line) => line.includes(`"${message}"`))
    .map((line) => JSON.parse(line) as Record<string, number>);
}

/** Changes the settings of a node that does not run. */
export function editSettings(directory: string, change: (settings: Document) => void): void {
  const file = join(directory, 'node.json');
  const settings = JSON.parse(readFileSync(file, 'utf8')) as Document;
  change(settings);
  writeFileSync(file, JSON.stringify(settings, null, 2));
}
