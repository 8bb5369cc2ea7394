/**
 * A block pool for tests: a real chain, a real store on the disk, real proof of work at the sizes of the
 * development network. Hashes are counted.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { type Clock, SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory } from 'svc-base/testing';
import { LightPow, PowPeriods, targetOf } from 'svc-mining/pow';
import type { Mempool, PooledBlock } from 'svc-serve/ports';
import { type KeyValueStore, LevelStore } from 'svc-storage';
import { fromHex } from 'svc-wasm/base';
import { POW_SIZES, pow, powSeed } from 'svc-wasm/kernel';
import { ChainFixture } from '../../testing/chain-fixture.ts';
import { Anchors } from '../anchors.ts';
import { type BlockPoolLimits, WorkBlockPool } from '../block-pool.ts';

export interface KitOptions {
  readonly limits?: Partial<BlockPoolLimits>;
  readonly mempool?: (chain: ChainFixture) => Promise<Pick<Mempool, 'get'>>;
  readonly clock?: Clock;
  readonly wrapStore?: (store: KeyValueStore) => KeyValueStore;
  readonly onFatal?: (error: Error) => void;
}

interface KitParts {
  readonly chain: ChainFixture;
  readonly anchors: Anchors;
  readonly directory: string;
  readonly mempool: Pick<Mempool, 'get'>;
}

export interface BlockPair {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
}

const { cacheBytes, datasetBytes } = POW_SIZES.development;
const NONCE_AT = 288;

/** Chains of the fixture have one genesis, so one thread hashes for all kits. */
let shared: LightPow | undefined;
after(() => shared?.close());

function sharedLight(chain: ChainFixture): LightPow {
  const { parameters } = chain;
  shared ??= new LightPow(new PowPeriods({ chainId: fromHex(chain.chainId), parameters }));
  return shared;
}

export class PoolKit {
  readonly chain: ChainFixture;
  readonly anchors: Anchors;
  readonly light: LightPow;
  readonly directory: string;
  readonly #options: KitOptions;
  readonly #mempool: Pick<Mempool, 'get'>;
  readonly #cache: pow.PowCache;
  #pool: WorkBlockPool | undefined;
  /** How many hashes the pool has asked for. */
  hashes = 0;

  static async create(t: TestContext, options: KitOptions = {}): Promise<PoolKit> {
    const chain = await ChainFixture.create();
    const anchors = await Anchors.open(chain);
    const directory = temporaryDirectory();
    const mempool = (await options.mempool?.(chain)) ?? { get: () => undefined };
    const kit = new PoolKit({ chain, anchors, directory, mempool }, options);
    t.after(async () => {
      await kit.#pool?.close();
      await chain.close();
      await rm(directory, { recursive: true, force: true });
    });
    await kit.reopen();
    return kit;
  }

  private constructor(parts: KitParts, options: KitOptions) {
    const { chain } = parts;
    const chainId = fromHex(chain.chainId);
    this.chain = chain;
    this.anchors = parts.anchors;
    this.directory = parts.directory;
    this.#mempool = parts.mempool;
    this.#options = options;
    this.light = sharedLight(chain);
    this.#cache = pow.makeCache(powSeed(chainId, 0n), cacheBytes);
  }

  get pool(): WorkBlockPool {
    return this.#pool as WorkBlockPool;
  }

  /** Closes the pool if there is one, and opens it again from the same store. */
  async reopen(): Promise<void> {
    await this.#pool?.close();
    const { limits, clock, wrapStore, onFatal } = this.#options;
    const level = await LevelStore.open(join(this.directory, 'blocks'));
    const ports = {
      chain: this.chain,
      anchors: this.anchors,
      mempool: this.#mempool,
      pow: {
        check: (header: Uint8Array) => {
          this.hashes++;
          return this.light.check(header);
        },
      },
      store: wrapStore?.(level) ?? level,
      clock: clock ?? SYSTEM_CLOCK,
      log: SILENT_LOG,
      onFatal:
        onFatal ??
        ((error: Error) => {
          throw error;
        }),
    };
    this.#pool = await WorkBlockPool.open(ports, limits);
  }

  /** A block on the head with a nonce that holds, or with one that does not. */
  mined(wires: readonly Uint8Array[] = [], holds = true): BlockPair {
    const { bytes } = this.chain.mine(wires);
    return { header: this.prove(bytes.header, holds), body: bytes.body };
  }

  /** The header with the first nonce whose hash is at or below its target, or the first whose is not. */
  prove(header: Uint8Array, holds = true): Uint8Array {
    const proven = header.slice();
    const target = targetOf(header);
    for (let start = 0n; ; start++) {
      const range = { freeBytes: 8, start, count: 1, shareTarget: target, blockTarget: target };
      const { hit } = pow.search(this.#cache, header, { ...range, datasetBytes });
      if ((hit !== undefined) !== holds) continue;
      new DataView(proven.buffer).setBigUint64(NONCE_AT, start, true);
      return proven;
    }
  }

  async accept(wires: readonly Uint8Array[] = []): Promise<PooledBlock> {
    const { header, body } = this.mined(wires);
    const admission = await this.pool.submit(header, body);
    if (admission.type !== 'accepted') throw new Error(JSON.stringify(admission));
    return this.pool.get(admission.id) as PooledBlock;
  }
}
