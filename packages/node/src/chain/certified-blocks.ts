/**
 * Blocks of certified cuts that are not final here yet. They count for their cut even if the pool would refuse
 * them. Blocks of cuts that wait to be installed are decoded when they come, and their signatures are checked
 * while the cuts before them are executed.
 */
import { SvcError } from 'svc-wasm/base';
import type { Chain } from '../ports/chain.ts';
import type { CheckAhead } from '../ports/check-ahead.ts';
import { WaitingTransactions } from './waiting-transactions.ts';
import { type BlockToRead, type GivenBlock, readWorkBlock, type WorkBlock } from './work-blocks.ts';

export interface CertifiedBlocksPorts {
  readonly chain: Pick<Chain, 'head' | 'manifest' | 'view' | 'transactions'>;
  readonly checkAhead: CheckAhead;
}

interface DecodedBlock {
  readonly read: WorkBlock;
  /** The height of the head when the block came. */
  readonly height: number;
}

type HeaderAndBody = BlockToRead & { readonly id?: string };

/** Four cuts of full blocks; blocks beyond that are decoded when their cut is installed. */
const DECODED_MAX = 1_024;
/** Decoded blocks of cuts that were never installed are forgotten after so many other cuts. */
const CUTS_KEPT = 64;

export class CertifiedBlocks {
  readonly #ports: CertifiedBlocksPorts;
  readonly #decoded = new Map<string, DecodedBlock>();
  readonly #waiting = new WaitingTransactions();
  /** Blocks given for a cut at the next height, by id. */
  readonly #offered = new Map<string, WorkBlock>();

  constructor(ports: CertifiedBlocksPorts) {
    this.#ports = ports;
  }

  /** Decodes blocks of a cut that waits to be installed, and has their signatures checked meanwhile. */
  decodeAhead(blocks: readonly GivenBlock[]): void {
    const { chain, checkAhead } = this.#ports;
    const { height } = chain.head;
    for (const bytes of blocks) {
      if (this.#decoded.size >= DECODED_MAX || this.#decoded.has(bytes.id)) continue;
      const read = this.#read(bytes);
      if (read === undefined) continue;
      this.#decoded.set(read.block.id, { read, height });
      this.#waiting.add(read.transactions);
      // Signatures that cannot be checked yet are checked before the cut executes the block.
      checkAhead
        .checkAhead(read.transactions, chain.view, this.#waiting.findOutput)
        .catch(() => {});
    }
  }

  /** Adds a block for a certified cut at the next height; false if the bytes are no block of this chain. */
  offer(bytes: HeaderAndBody): boolean {
    const block = this.#read(bytes);
    if (block !== undefined) this.#offered.set(block.block.id, block);
    return block !== undefined;
  }

  get(id: string): WorkBlock | undefined {
    return this.#offered.get(id);
  }

  /** Forgets the offered blocks and the decoded ones that a final cut has registered. */
  forget(registered: readonly WorkBlock[]): void {
    this.#offered.clear();
    for (const { block } of registered) this.#decoded.delete(block.id);
    this.#waiting.advance(registered.flatMap(({ transactions }) => transactions));
    const before = this.#ports.chain.head.height - CUTS_KEPT;
    for (const [id, { read, height }] of this.#decoded) {
      if (height >= before) break;
      this.#decoded.delete(id);
      this.#waiting.remove(read.transactions);
    }
  }

  /** The block, as it was decoded before if these very bytes were; undefined for bytes that are no block. */
  #read(bytes: HeaderAndBody): WorkBlock | undefined {
    const known = bytes.id === undefined ? undefined : this.#decoded.get(bytes.id)?.read;
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
}
