/**
 * A development network: one node with all validators, a miner and a clock of its own, in one process. It can
 * be stopped, copied and brought back to a copy. Its keys are public, so it is for nothing else.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEVELOPMENT_MNEMONIC, epochEnd, epochOf } from 'svc-ledger';
import { formatAmount, init } from 'svc-wasm';
import type {
  DevContext,
  DevFacts,
  DevNetwork as DevNetworkActions,
  DevOptions,
} from '../cli/actions.ts';
import type { StatusFacts } from '../log/status-line.ts';
import { type DevKeys, devKeys } from './dev-keys.ts';
import { DevNode } from './dev-node.ts';

const SNAPSHOT_NAME = /^snapshot-[0-9]{1,9}$/;

export class DevNetwork implements DevNetworkActions {
  static async start(options: DevOptions, context: DevContext): Promise<DevNetwork> {
    await init();
    const directory = options.stateDir ?? mkdtempSync(join(tmpdir(), 'svc-dev-'));
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const keys = devKeys(options.validators);
    const ports = { http: options.port, mining: options.port === 0 ? 0 : options.port + 1 };
    const network = new DevNetwork(options, context, directory, keys);
    network.#node = await network.#open(ports);
    network.#facts = await network.#readFacts();
    return network;
  }

  readonly firstCut: Promise<number>;
  readonly #options: DevOptions;
  readonly #context: DevContext;
  readonly #directory: string;
  readonly #keys: DevKeys;
  readonly #first = Promise.withResolvers<number>();
  #node: DevNode | undefined;
  #facts: DevFacts | undefined;
  /** Snapshots and reverts follow one another. */
  #changing: Promise<unknown> = Promise.resolve();
  #snapshots = 0;
  #closing: Promise<void> | undefined;

  private constructor(options: DevOptions, context: DevContext, directory: string, keys: DevKeys) {
    this.#options = options;
    this.#context = context;
    this.#directory = directory;
    this.#keys = keys;
    this.firstCut = this.#first.promise;
  }

  get node(): DevNode {
    if (this.#node === undefined) throw new Error('the network is being changed or closed');
    return this.#node;
  }

  get facts(): DevFacts {
    return this.#facts as DevFacts;
  }

  status(): StatusFacts {
    return this.node.composed.status();
  }

  mine(cuts: number): Promise<number> {
    const { core } = this.node.composed;
    return this.node.cuts.reach(core.chain.head.height + cuts);
  }

  /** To the first cut of a later epoch. */
  advanceEpochs(epochs: number): Promise<number> {
    const { chain } = this.node.composed.core;
    const { interval } = chain.parameters;
    const last = epochOf(chain.head.height, interval) + epochs - 1;
    return this.node.cuts.reach(epochEnd(last, interval) + 1);
  }

  newSnapshotName(): string {
    let name: string;
    do name = `snapshot-${++this.#snapshots}`;
    while (existsSync(this.#snapshotPath(name)));
    return name;
  }

  /** Throws a `RangeError` if there is no such snapshot. */
  expectSnapshot(name: string): void {
    if (SNAPSHOT_NAME.test(name) && existsSync(this.#snapshotPath(name))) return;
    throw new RangeError('there is no snapshot of that name');
  }

  /** Something that nobody waits for; if it fails, the network is of no use any more. */
  background(work: Promise<unknown>): void {
    work.catch(this.#context.onFatal);
  }

  snapshot(name: string = this.newSnapshotName()): Promise<string> {
    return this.#change(async () => {
      await this.#restart(() => {
        mkdirSync(join(this.#directory, 'snapshots'), { recursive: true, mode: 0o700 });
        cpSync(this.#dataDir, this.#snapshotPath(name), { recursive: true });
      });
      return name;
    });
  }

  /** Brings the state of a snapshot back; resolves with its height. */
  revert(name: string): Promise<number> {
    return this.#change(async () => {
      this.expectSnapshot(name);
      await this.#restart(() => {
        rmSync(this.#dataDir, { recursive: true, force: true });
        cpSync(this.#snapshotPath(name), this.#dataDir, { recursive: true });
      });
      return this.node.composed.core.chain.head.height;
    });
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  get #dataDir(): string {
    return join(this.#directory, 'node');
  }

  #snapshotPath(name: string): string {
    return join(this.#directory, 'snapshots', name);
  }

  async #open(ports: { http: number; mining: number }): Promise<DevNode> {
    const node = await DevNode.start({
      directory: this.#directory,
      ports,
      keys: this.#keys,
      options: this.#options,
      context: this.#context,
      control: this,
    });
    const end = node.composed.core.chain.finalized.on(({ height }) => {
      this.#first.resolve(height);
      end();
    });
    return node;
  }

  #change<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#changing.then(run);
    this.#changing = result.catch(() => {});
    return result;
  }

  async #restart(meanwhile: () => void): Promise<void> {
    const { node, facts } = this;
    this.#node = undefined;
    await node.close();
    meanwhile();
    this.#node = await this.#open({ http: facts.http.port, mining: facts.mining.port });
  }

  async #readFacts(): Promise<DevFacts> {
    const { composed } = this.node;
    const { chain } = composed.core;
    const reader = chain.reader();
    const balances = await reader.balances(this.#keys.accounts.map(({ address }) => address));
    await reader.close();
    return {
      chainId: chain.chainId,
      validators: this.#keys.consensus.length,
      cutTime: this.#options.cutTime,
      epochCuts: chain.parameters.interval,
      http: composed.http,
      mining: composed.mining,
      wallet: null,
      words: DEVELOPMENT_MNEMONIC,
      accounts: this.#keys.accounts.map(({ index, text }) => ({
        index,
        address: text,
        balance: formatAmount(String(balances[index]?.amount ?? 0n)),
      })),
      stateDir: this.#options.stateDir,
    };
  }

  async #close(): Promise<void> {
    await this.#changing;
    await this.#node?.close();
    this.#node = undefined;
    if (this.#options.stateDir === null) rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** For `svcd dev` and for tests of programs that need a network. */
export function startDevNetwork(options: DevOptions, context: DevContext): Promise<DevNetwork> {
  return DevNetwork.start(options, context);
}
