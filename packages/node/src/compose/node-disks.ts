/**
 * Where a node keeps what must outlive it: the directories below its data directory, or memory in a development network.
 */
import { join } from 'node:path';
import type { Log } from 'svc-base/pure';
import { CHAIN_CONTENTS, type KeyValueStore, POOL_CONTENTS } from 'svc-storage';
import { openBlockDatabase } from '../blocks/block-store.ts';
import { type ChainDisk, DirectoryDisk } from '../chain/chain-disk.ts';
import type { ScrubbedDatabase } from '../chain/store-scrub.ts';
import { Journal } from '../mempool/journal.ts';
import type { PoolDisk } from '../mempool/pool-store.ts';
import { ValidatorDirectory, type ValidatorDisk } from '../validator/validator-disk.ts';

export interface NodeDisks {
  readonly chain: ChainDisk;
  /** Files that are read again while the node runs, to find corruption. */
  readonly scrubbed: readonly ScrubbedDatabase[];
  openMempool(): Promise<PoolDisk>;
  /** Blocks that wait for a cut. */
  openBlocks(): Promise<KeyValueStore>;
  /** Blocks that proposals name beside them. */
  openProposals(): Promise<KeyValueStore>;
  /** The place of one validator. */
  validator(name: string): ValidatorDisk;
}

export interface NodeDirectoryOptions {
  readonly dataDir: string;
  readonly cacheBytes: number;
  readonly log: Log;
}

export class NodeDirectory implements NodeDisks {
  readonly chain: ChainDisk;
  readonly #directory: string;
  readonly #log: Log;

  constructor({ dataDir, cacheBytes, log }: NodeDirectoryOptions) {
    this.chain = new DirectoryDisk(join(dataDir, 'chain'), cacheBytes);
    this.#directory = dataDir;
    this.#log = log;
  }

  get scrubbed(): readonly ScrubbedDatabase[] {
    return [
      { directory: join(this.#directory, 'chain', 'db'), contents: CHAIN_CONTENTS },
      { directory: join(this.#directory, 'blocks'), contents: POOL_CONTENTS },
      { directory: join(this.#directory, 'proposals'), contents: POOL_CONTENTS },
    ];
  }

  openMempool(): Promise<PoolDisk> {
    const log = this.#log.part('mempool');
    return Journal.open(join(this.#directory, 'mempool'), {
      onCutOff: (facts) => log.warn({ ...facts }, 'the end of a file was not whole'),
      onRot: (facts) => log.error({ ...facts }, 'records in a file have rotted and are lost'),
    });
  }

  openBlocks(): Promise<KeyValueStore> {
    return openBlockDatabase(join(this.#directory, 'blocks'), this.#log.part('blocks'));
  }

  openProposals(): Promise<KeyValueStore> {
    return openBlockDatabase(join(this.#directory, 'proposals'), this.#log.part('blocks'));
  }

  validator(name: string): ValidatorDisk {
    return new ValidatorDirectory(join(this.#directory, 'validator', name));
  }
}
