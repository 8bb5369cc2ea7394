/**
 * A miner inside the node, for development networks: it keeps up a number of blocks for each cut, and mines
 * more on demand. It takes templates and submits blocks the way a miner outside does.
 */
import type { Log } from 'svc-base/pure';
import type { LightPow } from 'svc-mining/pow';
import type { BlockPool, Chain } from 'svc-serve/ports';
import { toHex } from 'svc-wasm/base';
import { LOCAL_SOURCE } from '../blocks/hash-budget.ts';
import type { Template } from '../mining/template.ts';
import type { Templates } from '../mining/templates.ts';

export interface DevMinerPorts {
  readonly chain: Pick<Chain, 'finalized' | 'head' | 'parameters'>;
  readonly templates: Templates;
  readonly blocks: Pick<BlockPool, 'submit'>;
  readonly searcher: Pick<LightPow, 'search'>;
  readonly log: Log;
}

export interface DevMinerOptions {
  /** Who is paid, as the ledger writes it. */
  readonly payout: string;
  /** Blocks to mine for each cut; the number that the difficulty aims at unless given. */
  readonly blocksPerCut?: number;
  readonly minerTag?: string;
}

const MINER_TAG = 'dev miner';
const NONCE_AT = 288;
/** Nonces between two looks at the head: a fraction of a second with the cache alone. */
const NONCES_PER_SEARCH = 128;
const TRANSACTIONS_MAX = 1_024;

export class DevMiner {
  readonly #ports: DevMinerPorts;
  readonly #options: Required<DevMinerOptions>;
  #unfollow: (() => void) | undefined;
  #wake: () => void = () => {};
  #running: Promise<void> | undefined;
  #isClosed = false;
  #isResting = false;

  constructor(ports: DevMinerPorts, options: DevMinerOptions) {
    const { workBlocksTarget } = ports.chain.parameters;
    this.#ports = ports;
    this.#options = { blocksPerCut: workBlocksTarget, minerTag: MINER_TAG, ...options };
  }

  /** Mines on every new head from now on. */
  start(): void {
    if (this.#running !== undefined || this.#isClosed) return;
    this.#unfollow = this.#ports.chain.finalized.on(() => this.#wake());
    this.#running = this.#mineOnHeads();
  }

  /** Stops mining on new heads, until it is resumed. Mining on demand still works. */
  rest(on: boolean): void {
    this.#isResting = on;
    if (!on) this.#wake();
  }

  /** Mines so many blocks now, whatever the head does. Resolves with their ids. */
  async mine(count: number): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count) {
      const id = await this.#mineOne(() => this.#isClosed);
      if (id === undefined) throw new Error('the miner is closed');
      ids.push(id);
    }
    return ids;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unfollow?.();
    this.#wake();
    await this.#running;
  }

  async #mineOnHeads(): Promise<void> {
    const { chain, log } = this.#ports;
    while (!this.#isClosed) {
      const { height } = chain.head;
      const isStale = () => this.#isClosed || chain.head.height !== height;
      const isWanted = () => !this.#isResting && !isStale();
      try {
        for (let made = 0; made < this.#options.blocksPerCut && isWanted(); made++)
          await this.#mineOne(() => !isWanted());
      } catch (error) {
        log.warn(
          { reason: error instanceof Error ? error.message : String(error) },
          'mining failed',
        );
      }
      if (isStale()) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Resolves with the id of the block; undefined if the search became stale before a block was found. */
  async #mineOne(isStale: () => boolean): Promise<string | undefined> {
    const { payout, minerTag } = this.#options;
    const template = this.#ports.templates.make({
      payout,
      minerTag,
      maxTransactions: TRANSACTIONS_MAX,
      isForDevMiner: true,
    });
    if (template === undefined) throw new Error('there is no template now');
    const header = await this.#search(template, isStale);
    if (header === undefined) return undefined;
    const admission = await this.#ports.blocks.submit(header, template.body, LOCAL_SOURCE);
    if ('code' in admission) throw new Error(`${admission.code}: ${admission.message}`);
    this.#ports.log.debug(
      { block: admission.id, target: toHex(header.subarray(256, 264)) },
      'mined',
    );
    return admission.id;
  }

  async #search(template: Template, isStale: () => boolean): Promise<Uint8Array | undefined> {
    const header = template.header.slice();
    for (let start = 0n; !isStale(); ) {
      const { done, nonce } = await this.#ports.searcher.search(header, start, NONCES_PER_SEARCH);
      start += BigInt(done);
      if (nonce === null) continue;
      header.set(nonce, NONCE_AT);
      return header;
    }
    return undefined;
  }
}
