/**
 * The peers of one simulated process: the relay and sync of `svc-network` over virtual connections, with the node's own
 * chain, mempool and pool of blocks behind them, and the processor that checks proofs of work.
 */
import { type Clock, SILENT_LOG, sleep } from 'svc-base/pure';
import type { NetworkApplication } from 'svc-network';
import {
  ANSWER_MILLIS_MAX,
  BAN_MILLIS,
  Bans,
  type Connection,
  PEER_BOOK_OPTIONS,
  Peer,
  PeerBook,
  PeerBudgets,
  Peering,
  type PeeringOptions,
  Peers,
  REPEAT_MILLIS,
  type SocketAddress,
  SYNC_TIMING,
} from 'svc-network/peering';
import {
  type ChainCore,
  isCurrent,
  NodeApplication,
  type TransactionPool,
  type WorkBlockPool,
} from 'svc-node/chain';
import { toHex } from 'svc-wasm/base';
import type { OutagePlan } from '../plan/node-plan.ts';
import { VirtualHost } from './virtual-host.ts';

type ProofCosts = Pick<OutagePlan, 'proofMs' | 'cutMs'>;

/**
 * The processor of a simulated process, as far as proofs of work wait for it: it checks one after another, each block once,
 * and does the work of cuts in between. Both take a part of the time between two cuts in seeds with an outage, and no time in
 * others.
 */
export class ProofQueue {
  readonly #clock: Clock;
  readonly #costs: ProofCosts;
  readonly #checked = new Map<string, number>();
  #freeAtMs = 0;

  constructor(clock: Clock, costs: ProofCosts) {
    this.#clock = clock;
    this.#costs = costs;
  }

  /** A cut was decided: its votes and its execution have cost time. */
  onCut(): void {
    this.#freeAtMs = Math.max(this.#clock.monotonic(), this.#freeAtMs) + this.#costs.cutMs;
  }

  /** Makes the call when the proof of the header is checked, after those that came before it. */
  after<T>(header: Uint8Array, call: () => Promise<T>): Promise<T> {
    const { proofMs } = this.#costs;
    if (proofMs === 0) return call();
    const now = this.#clock.monotonic();
    const name = toHex(header);
    const checkedAtMs = this.#checked.get(name) ?? Math.max(now, this.#freeAtMs) + proofMs;
    this.#checked.set(name, checkedAtMs);
    this.#freeAtMs = Math.max(this.#freeAtMs, checkedAtMs);
    return checkedAtMs <= now ? call() : sleep(this.#clock, checkedAtMs - now).then(call);
  }
}

export type Hello = Peer['hello'];

export interface NodePeersPorts {
  readonly id: string;
  readonly chain: ChainCore;
  readonly mempool: TransactionPool;
  readonly pool: WorkBlockPool;
  readonly clock: Clock;
  readonly proofs: ProofQueue;
  /** The turn of the world does not end before this promise has settled. */
  readonly await: (promise: Promise<unknown>) => void;
}

export interface NodePeersOptions extends PeeringOptions {
  /** How long the disk takes for a cut that peers have shown. */
  readonly lagMs: number;
  /** What all answers together may take; 0 for no limit. */
  readonly uploadBytesPerSecond: number;
}

/** What a mutant can break here. */
interface PeerRules {
  readonly applicationOf: (application: NetworkApplication) => NetworkApplication;
  /** Where a peer comes from, as the node sees it. */
  readonly addressOf: (address: SocketAddress) => SocketAddress | undefined;
}

/** As `svcd` of a validator has them. */
export const PEERING_OPTIONS: PeeringOptions = {
  answerMillisMax: ANSWER_MILLIS_MAX,
  repeatMillis: REPEAT_MILLIS,
  timing: { ...SYNC_TIMING, followDelayMillis: 1_000 },
};

const INBOUND_MAX = 64;
/** Calls of these wait in one queue of the chain, so that they stay in their order. */
const LAGGING: ReadonlySet<keyof NetworkApplication> = new Set(['vouch', 'install']);

/**
 * The peers of one simulated process: the relay and sync of `svc-network` over virtual connections, with the node's own
 * chain, mempool and pool of blocks behind them.
 */
export class NodePeers {
  readonly host: VirtualHost;
  readonly bans: Bans;
  readonly #chain: ChainCore;
  readonly #application: NodeApplication;
  readonly #peers: Peers;
  readonly #peering: Peering;
  readonly #clock: Clock;
  readonly #rules: PeerRules;

  constructor(ports: NodePeersPorts, options: NodePeersOptions, rules: PeerRules) {
    const { id, chain, mempool, pool, clock } = ports;
    const now = () => clock.now();
    const bans = new Bans(clock);
    const book = new PeerBook({ ...PEER_BOOK_OPTIONS, allowPrivateAddresses: true }, now, () => 0);
    const shared = { clock, log: SILENT_LOG };
    this.#peers = new Peers({
      ...shared,
      ownId: id,
      book,
      bans,
      banMillis: BAN_MILLIS,
      inboundMax: INBOUND_MAX,
    });
    this.host = new VirtualHost(id);
    this.bans = bans;
    this.#chain = chain;
    this.#clock = clock;
    this.#rules = rules;
    this.#application = new NodeApplication({ chain, mempool, blocks: pool });
    const application = rules.applicationOf(awaited(this.#application, ports, options.lagMs));
    const { host, budgets, peers } = {
      host: this.host,
      budgets: new PeerBudgets({ clock, uploadBytesPerSecond: options.uploadBytesPerSecond }),
      peers: this.#peers,
    };
    this.#peering = new Peering(
      { ...shared, host: host.port, peers, budgets, application },
      { ...options, timing: { ...options.timing, paceMillis: chain.genesis.paceMillis } },
    );
  }

  async start(): Promise<void> {
    await this.#peering.start();
  }

  get hello(): Hello {
    const { identity, tip, holdings } = this.#application;
    return { identity, tip, holdings, listeningPort: 0, agent: 'simulated' };
  }

  /** A connection whose other end has said hello; without an address the peer counts as one from anywhere. */
  join(connection: Connection, hello: Hello, from?: SocketAddress): void {
    const address = from && this.#rules.addressOf(from);
    const joined = { atMillis: this.#clock.monotonic(), score: 0 };
    const onFault = (...fault: Parameters<Peers['faulted']>) => this.#peers.faulted(...fault);
    this.#peers.admit(new Peer(connection, hello, address, joined, { onFault }));
  }

  /** Whether a validator may begin to sign. */
  get isCurrent(): boolean {
    const { bestPeerHeight, isSynced } = this.#peering.sync;
    const [inbound, outbound] = [this.#peers.count('inbound'), this.#peers.count('outbound')];
    return isCurrent(this.#chain, { peers: { inbound, outbound }, bestPeerHeight, isSynced });
  }

  /** Whether the block waits here, or a cut that was decided in this life has registered it. */
  hasBlock(id: string): boolean {
    return this.#application.hasBlock(id);
  }

  fetchBlocks(ids: readonly string[], timeoutMillis: number) {
    return this.#peering.relay.fetchBlocks(ids, timeoutMillis);
  }

  close(): void {
    this.host.close();
    this.#peering.close().catch(() => {});
    this.#application.close();
  }
}

/** The node's application; the world waits for everything that it does, except for the slowness of a disk. */
function awaited(
  application: NodeApplication,
  { await: wait, clock, proofs }: NodePeersPorts,
  lagMs: number,
): NetworkApplication {
  const follow = <T>(promise: Promise<T>): Promise<T> => {
    wait(promise.catch(() => {}));
    return promise;
  };
  return new Proxy<NetworkApplication>(application, {
    get: (_, name: keyof NetworkApplication) => {
      const found = Reflect.get(application, name, application) as unknown;
      if (typeof found !== 'function') return found;
      return (...given: unknown[]) => {
        const call = (): unknown => {
          const answer = found.apply(application, given) as unknown;
          return answer instanceof Promise ? follow(answer) : answer;
        };
        if (name === 'submitBlock') return proofs.after(given[0] as Uint8Array, async () => call());
        return LAGGING.has(name) && lagMs > 0 ? sleep(clock, lagMs).then(call) : call();
      };
    },
  });
}
