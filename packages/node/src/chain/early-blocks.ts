/**
 * Blocks of cuts that wait to be installed. They are decoded when they come, and their signatures are checked
 * beside the cuts before them, so that a node that catches up does not wait for either.
 */
import type { BlockBytes } from 'svc-storage';
import { SvcError } from 'svc-wasm/base';
import type { Chain } from '../ports/chain.ts';
import type { CheckAhead } from '../ports/check-ahead.ts';
import { readWorkBlock, type WorkBlock } from './work-blocks.ts';

export interface EarlyPorts {
  readonly chain: Pick<Chain, 'head' | 'manifest' | 'view' | 'transactions'>;
  readonly checkAhead: CheckAhead;
}

interface EarlyBlock {
  readonly read: WorkBlock;
  /** The head when it came. */
  readonly height: number;
}

/** Four cuts of full blocks; those beyond are decoded when it is their turn. */
const BLOCKS_MAX = 1_024;
/** Blocks of cuts that were never installed are forgotten after so many others. */
const CUTS_KEPT = 64;

export class EarlyBlocks {
  readonly #ports: EarlyPorts;
  readonly #blocks = new Map<string, EarlyBlock>();

  constructor(ports: EarlyPorts) {
    this.#ports = ports;
  }

  begin(blocks: readonly BlockBytes[]): void {
    const { chain, checkAhead } = this.#ports;
    const { height } = chain.head;
    for (const bytes of blocks) {
      if (this.#blocks.size >= BLOCKS_MAX || this.#blocks.has(bytes.id)) continue;
      const read = this.read(bytes);
      if (read === undefined) continue;
      this.#blocks.set(read.block.id, { read, height });
      // What cannot be checked yet is checked before it is executed.
      checkAhead.checkAhead(read.transactions, chain.view).catch(() => {});
    }
  }

  /** The block, as it was decoded before if these very bytes were; undefined for bytes that are no block. */
  read(
    bytes: Pick<BlockBytes, 'header' | 'body'> & { readonly id?: string },
  ): WorkBlock | undefined {
    const known = bytes.id === undefined ? undefined : this.#blocks.get(bytes.id)?.read;
    const isSame = known?.bytes.header === bytes.header && known.bytes.body === bytes.body;
    if (isSame) return known;
    const { manifest, transactions } = this.#ports.chain;
    try {
      return readWorkBlock(bytes, manifest, transactions);
    } catch (error) {
      if (error instanceof SvcError) return undefined;
      throw error;
    }
  }

  /** A cut that registers these is final. */
  forget(blocks: readonly WorkBlock[]): void {
    for (const { block } of blocks) this.#blocks.delete(block.id);
    const before = this.#ports.chain.head.height - CUTS_KEPT;
    for (const [id, { height }] of this.#blocks) {
      if (height >= before) break;
      this.#blocks.delete(id);
    }
  }
}
