/**
 * A development network: one node with all validators, a miner and a clock of its own, in one process. It can
 * be stopped, copied and brought back to a copy. Its keys are public, so it is for nothing else.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainIdOf, DEVELOPMENT_MNEMONIC, epochEnd, epochOf } from 'svc-ledger';
import { readAtHead } from 'svc-storage';
import { formatAmount, init } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { hashLabel, type TrustedSetDocument, trustedSetJson } from 'svc-wasm/protocol';
import type { ChainCore } from '../chain/chain-core.ts';
import type { ComposedNode } from '../compose/composed-node.ts';
import { KeptListeners } from '../compose/front.ts';
import { type Bind, formatBind } from '../config/bind.ts';
import { keepGenesis } from '../config/genesis-file.ts';
import type { StatusFacts } from '../log/status-line.ts';
import {
  BRIDGE_PORTS_AT,
  type DevContext,
  type DevOptions,
  devCutTime,
  devPaceMillis,
  type Ports,
} from './dev-config.ts';
import { type DevAccount, type DevChain, openDevChain } from './dev-genesis.ts';
import { DevNode, DevThreads, MINER_ACCOUNT } from './dev-node.ts';
import { MemoryDisks } from './memory-disks.ts';
import { DevMining, type DevMiningFacts, DevWallet } from './programs.ts';
import {
  DirectorySnapshots,
  type Dump,
  decodeDump,
  encodeDump,
  MemorySnapshots,
  type Snapshots,
} from './snapshots.ts';

interface DevAccountFacts {
  readonly index: number;
  readonly address: string;
  /** In coins with 8 decimals. */
  readonly balance: string;
}

export interface DevFacts {
  readonly chainId: string;
  /** The head at the start, as a light client trusts it: the genesis of a new network. */
  readonly trustAnchor: TrustedSetDocument;
  readonly validators: number;
  readonly cutTime: number | 'auto' | 'manual';
  readonly epochCuts: number;
  readonly http: Bind;
  /** Whether browsers are served the page. */
  readonly hasPage: boolean;
  readonly mining: Bind;
  /** Null if there is no wallet daemon. */
  readonly wallet: { readonly bind: Bind; readonly tokenFile: string } | null;
  /** Null if the node mines itself or not at all. */
  readonly miners: DevMiningFacts | null;
  readonly words: string;
  readonly accounts: readonly DevAccountFacts[];
  readonly stateDir: string | null;
}

interface DevFactsPorts {
  readonly composed: ComposedNode;
  readonly accounts: readonly DevAccount[];
  readonly options: DevOptions;
  readonly wallet: DevWallet | null;
  readonly miners: DevMining | null;
}

/**
 * What people and programs are told about a development network when it is ready.
 */
async function readDevFacts(sources: DevFactsPorts): Promise<DevFacts> {
  const { composed, accounts, options, wallet, miners } = sources;
  const { chain } = composed.core;
  const owners = accounts.map(({ address }) => address);
  const balances = await readAtHead(chain, (reader) => reader.balances(owners));
  const { validators, cutTime, stateDir } = options;
  return {
    chainId: chain.chainId,
    trustAnchor: trustAnchorOf(chain),
    validators,
    cutTime,
    epochCuts: chain.parameters.interval,
    http: composed.http,
    hasPage: options.ui !== false,
    mining: composed.mining,
    wallet: wallet?.facts ?? null,
    miners: miners?.facts ?? null,
    words: DEVELOPMENT_MNEMONIC,
    accounts: accounts.map(({ index, text }) => ({
      index,
      address: text,
      balance: formatAmount(String(balances[index]?.amount ?? 0n)),
    })),
    stateDir,
  };
}

function trustAnchorOf(chain: ChainCore): TrustedSetDocument {
  const { height, cutId } = chain.head;
  const set = chain.setAt(height + 1);
  if (set === undefined) throw new Error(`the validators of cut ${height + 1} are not known`);
  const text = trustedSetJson({
    network: 'development',
    chainId: fromHex(chain.chainId),
    height: BigInt(height),
    time: BigInt(chain.headTimeMillis),
    cutId: fromHex(cutId),
    encodedSet: set.encoded,
  });
  return JSON.parse(text) as TrustedSetDocument;
}

export class DevNetwork {
  static async start(options: DevOptions, context: DevContext): Promise<DevNetwork> {
    if (options.load !== undefined && options.memory !== true)
      throw new RangeError(
        'a dump goes on in memory alone; copy the directory of a network on disk',
      );
    await init();
    const directory = options.stateDir ?? mkdtempSync(join(tmpdir(), 'svc-dev-'));
    try {
      return await DevNetwork.#startIn(directory, options, context);
    } catch (error) {
      if (options.stateDir === null) rmSync(directory, { recursive: true, force: true });
      throw error;
    }
  }

  static async #startIn(
    directory: string,
    options: DevOptions,
    context: DevContext,
  ): Promise<DevNetwork> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const loaded = options.load === undefined ? undefined : loadDump(directory, options.load);
    const chain = openDevChain(join(directory, 'node'), {
      validators: options.validators,
      paceMillis: devPaceMillis(options.cutTime),
      nowMillis: Date.now(),
    });
    const network = new DevNetwork({ ...options, ...keptOptions(chain, options) }, context, {
      directory,
      chain,
      loaded,
    });
    const { port } = options;
    const wallet = options.wallet ? DevWallet.prepare(directory) : Promise.resolve(null);
    const [opened, prepared] = await Promise.allSettled([
      network.#open({ http: port, mining: port === 0 ? 0 : port + 1 }, network.#loadedAt),
      wallet,
    ]);
    if (opened.status === 'rejected') {
      await network.#listeners.close();
      await network.#threads.close();
      throw opened.reason;
    }
    network.#node = opened.value;
    try {
      if (prepared.status === 'rejected') throw prepared.reason;
      await Promise.all([network.#serveWallet(prepared.value), network.#serveMiners()]);
      network.#facts = await readDevFacts({
        composed: network.node.composed,
        accounts: chain.keys.accounts,
        options: network.#options,
        wallet: network.#wallet,
        miners: network.#miners,
      });
    } catch (error) {
      await network.close();
      throw error;
    }
    return network;
  }

  /** Resolves with the height of the first cut that was made final after the start. */
  readonly firstCut: Promise<number>;
  readonly snapshots: Snapshots;
  readonly #options: DevOptions;
  readonly #context: DevContext;
  readonly #directory: string;
  readonly #chain: DevChain;
  readonly #threads: DevThreads;
  readonly #listeners = new KeptListeners();
  readonly #first = Promise.withResolvers<number>();
  /** The times at which snapshots were taken, by name. */
  readonly #times = new Map<string, number>();
  /** The time of the dump that this network continues from. */
  readonly #loadedAt: number | undefined;
  #node: DevNode | undefined;
  #wallet: DevWallet | null = null;
  #miners: DevMining | null = null;
  #facts: DevFacts | undefined;
  #starts = 1;
  #restarting: Promise<void> | undefined;
  /** The last snapshot or revert; the next one waits for it. */
  #changing: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  private constructor(
    options: DevOptions,
    context: DevContext,
    { directory, chain, loaded }: { directory: string; chain: DevChain; loaded: Dump | undefined },
  ) {
    this.#options = options;
    this.#context = context;
    this.#directory = directory;
    this.#chain = chain;
    this.firstCut = this.#first.promise;
    this.#threads = new DevThreads(chain, context, options);
    const { memory = false } = options;
    const disks = loaded === undefined ? undefined : new MemoryDisks(loaded.parts);
    this.#loadedAt = loaded?.nowMillis;
    this.snapshots = memory
      ? new MemorySnapshots(disks)
      : new DirectorySnapshots(directory, 'node');
  }

  get node(): DevNode {
    if (this.#node === undefined) throw new Error('the network is being changed or closed');
    return this.#node;
  }

  get facts(): DevFacts {
    return this.#facts as DevFacts;
  }

  /** Addresses of the funded accounts. */
  get accounts(): readonly string[] {
    return this.#chain.keys.accounts.map(({ text }) => text);
  }

  /**
   * How often the network has started; a revert starts it again, and so does a snapshot of a network on the disk. A start
   * counts once the wallet daemon answers as well.
   */
  get starts(): number {
    return this.#starts;
  }

  get minerSocket(): Bind | undefined {
    return this.#miners?.facts?.webSocket;
  }

  status(): StatusFacts {
    return this.node.composed.status();
  }

  /**
   * Makes so many cuts now, the first of them with a block of what waits in the mempool; resolves with the height that was
   * reached.
   */
  async mine(cuts: number): Promise<number> {
    await this.node.gatherWaiting();
    const { core } = this.node.composed;
    return this.node.reach(core.chain.head.height + cuts);
  }

  /** Makes cuts up to the first one of a later epoch, with blocks for what waits alone; resolves with its height. */
  async advanceEpochs(epochs: number): Promise<number> {
    const { chain } = this.node.composed.core;
    const { interval } = chain.parameters;
    const last = epochOf(chain.head.height, interval) + epochs - 1;
    return this.node.jump(epochEnd(last, interval) + 1);
  }

  /** Lets so much time pass before the next cut, which is made at once; resolves with its height. */
  advanceTime(millis: number): Promise<number> {
    return this.node.leap(millis);
  }

  /** Runs work without a waiting caller; if it fails, the process ends. */
  background(work: Promise<unknown>): void {
    work.catch(this.#context.onFatal);
  }

  /** Resolves with the name under which the state can be brought back, that of the wallet daemon included. */
  snapshot(name: string = this.snapshots.newName()): Promise<string> {
    return this.#change(async () => {
      const isRestarting = this.snapshots.disks === undefined;
      await this.#whileWalletRests(async () => {
        const { node } = this;
        this.#times.set(name, node.nowMillis);
        await node.composed.core.mempool.settled();
        if (isRestarting) await this.#restart(name, () => this.snapshots.save(name));
        else this.snapshots.save(name);
        this.#wallet?.save(name);
      });
      if (isRestarting) this.#starts++;
      return name;
    });
  }

  /** Brings the state of a snapshot back; resolves with its height, when the wallet daemon answers again. */
  revert(name: string): Promise<number> {
    return this.#change(async () => {
      this.snapshots.expect(name);
      await this.#whileWalletRests(async () => {
        await this.#restart(name, () => this.snapshots.restore(name));
        this.#wallet?.restore(name);
      });
      await this.#miners?.forget();
      this.#starts++;
      return this.node.composed.core.chain.head.height;
    });
  }

  /** The chain, the mempool and the time as bytes, for `load` of another network. */
  dump(): Promise<Uint8Array> {
    return this.#change(async () => {
      const { disks } = this.snapshots;
      if (disks === undefined)
        throw new RangeError(
          'only a network in memory can be dumped; copy the directory of others',
        );
      const { node } = this;
      await node.composed.core.mempool.settled();
      const { genesis } = this.#chain;
      return encodeDump({ genesis, nowMillis: node.nowMillis, parts: disks.parts() });
    });
  }

  async settled(): Promise<DevNode> {
    await this.#restarting;
    return this.node;
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  /** A manual clock continues at the time of the snapshot or dump; others follow the real time. */
  async #open(ports: Ports, wasAt: number | undefined): Promise<DevNode> {
    const isManual = this.#options.cutTime === 'manual';
    const standsAt = isManual ? wasAt : undefined;
    const node = await DevNode.start({
      directory: this.#directory,
      ports,
      chain: this.#chain,
      options: this.#options,
      context: this.#context,
      control: this,
      threads: this.#threads,
      listeners: this.#listeners,
      disks: this.snapshots.disks,
      standsAt,
    });
    const end = node.composed.core.chain.finalized.on(({ height }) => {
      this.#first.resolve(height);
      end();
    });
    return node;
  }

  async #serveWallet(wallet: DevWallet | null): Promise<void> {
    this.#wallet = wallet;
    const { port } = this.#options;
    const service = `http://${formatBind(this.node.composed.http)}`;
    await wallet?.serve(service, port === 0 ? 0 : port + 2);
  }

  async #serveMiners(): Promise<void> {
    const { port, miner, bridge } = this.#options;
    if (!miner || bridge !== true) return;
    const at = (offset: number): number => (port === 0 ? 0 : port + offset);
    const payout = this.#chain.keys.accounts[MINER_ACCOUNT]?.text as string;
    const ports = {
      bridge: at(BRIDGE_PORTS_AT.bridge),
      webSocket: at(BRIDGE_PORTS_AT.webSocket),
    };
    const options = { directory: this.#directory, ports, payout };
    this.#miners = new DevMining(options, this.#context.log.part('miners'));
    await this.#miners.serve(this.node.composed);
  }

  #change<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#changing.then(run);
    this.#changing = result.catch(() => {});
    return result;
  }

  /** Does what needs the state of the wallet daemon at rest. The daemon answers again afterwards, also after a failure. */
  async #whileWalletRests(change: () => Promise<void>): Promise<void> {
    await this.#wallet?.close();
    try {
      await change();
    } finally {
      await this.#wallet?.resume();
    }
  }

  async #restart(snapshot: string, meanwhile: () => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#restarting = promise;
    try {
      await this.#replaceNode(snapshot, meanwhile);
    } finally {
      resolve();
    }
  }

  /** Opens the node again, also if the data could not be copied or brought back: then where it was. */
  async #replaceNode(snapshot: string, meanwhile: () => void): Promise<void> {
    const { node, facts } = this;
    const ports = { http: facts.http.port, mining: facts.mining.port };
    let wasAt: number | undefined = node.nowMillis;
    this.#node = undefined;
    await node.close();
    try {
      meanwhile();
      wasAt = this.#times.get(snapshot);
    } finally {
      this.#node = await this.#open(ports, wasAt);
    }
  }

  async #close(): Promise<void> {
    await this.#changing;
    await Promise.all([this.#wallet?.close(), this.#miners?.close()]);
    await this.#node?.close();
    this.#node = undefined;
    await this.#listeners.close();
    await this.#threads.close();
    if (this.#options.stateDir === null) rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Keeps the genesis of a dump in the directory, where the chain is opened with it. */
function loadDump(directory: string, bytes: Uint8Array): Dump {
  const dump = decodeDump(bytes);
  const { genesis } = dump;
  keepGenesis(join(directory, 'node'), { genesis, chainId: chainIdOf(hashLabel, genesis) });
  return dump;
}

/** The options that were fixed when the network was made, and what this machine has programs for. */
function keptOptions(
  { genesis, keys }: DevChain,
  { cutTime, bridge }: DevOptions,
): Pick<DevOptions, 'validators' | 'cutTime' | 'bridge'> {
  return {
    bridge: bridge === true && DevMining.isInstalled,
    validators: keys.consensus.length,
    cutTime: devCutTime(cutTime, genesis.paceMillis),
  };
}

/** For `svcd dev` and for tests of programs that need a network. */
export function startDevNetwork(options: DevOptions, context: DevContext): Promise<DevNetwork> {
  return DevNetwork.start(options, context);
}
