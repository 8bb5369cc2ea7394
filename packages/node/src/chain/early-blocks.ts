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
  readonly chain: Pick<Chain, 'manifest' | 'view' | 'transactions'>;
  readonly checkAhead: CheckAhead;
}

/** Four cuts of full blocks; those that came first make room. */
const BLOCKS_MAX = 1_024;

export class EarlyBlocks {
  readonly #ports: EarlyPorts;
  readonly #blocks = new Map<string, WorkBlock>();

  constructor(ports: EarlyPorts) {
    this.#ports = ports;
  }

  begin(blocks: readonly BlockBytes[]): void {
    const { chain, checkAhead } = this.#ports;
    for (const bytes of blocks) {
      if (this.#blocks.has(bytes.id)) continue;
      const read = this.read(bytes);
      if (read === undefined) continue;
      this.#blocks.set(read.block.id, read);
      // What cannot be checked yet is checked before it is executed.
      checkAhead.checkAhead(read.transactions, chain.view).catch(() => {});
    }
    for (const id of this.#blocks.keys()) {
      if (this.#blocks.size <= BLOCKS_MAX) break;
      this.#blocks.delete(id);
    }
  }

  /** The block, as it was decoded before if these very bytes were; undefined for bytes that are no block. */
  read(
    bytes: Pick<BlockBytes, 'header' | 'body'> & { readonly id?: string },
  ): WorkBlock | undefined {
    const known = bytes.id === undefined ? undefined : this.#blocks.get(bytes.id);
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

  forget(blocks: readonly WorkBlock[]): void {
    for (const { block } of blocks) this.#blocks.delete(block.id);
  }
}
