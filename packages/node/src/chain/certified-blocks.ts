/**
 * Blocks of certified cuts that are not final here yet. They count for their cut even if the pool would refuse
 * them. Blocks of cuts that wait to be installed are decoded some way ahead, and their signatures are checked
 * while the cuts before them are executed.
 */

import type { Chain } from 'svc-serve/ports';
import { SvcError } from 'svc-wasm/base';
import type { CheckAhead } from './check-ahead.ts';
import { WaitingTransactions } from './waiting-transactions.ts';
import { type BlockToRead, type GivenBlock, readWorkBlock, type WorkBlock } from './work-blocks.ts';

export interface CertifiedBlocksPorts {
  readonly chain: Pick<Chain, 'head' | 'manifest' | 'view' | 'transactions'>;
  readonly checkAhead: CheckAhead;
  /** In place of `TRANSACTIONS_AHEAD`. */
  readonly transactionsAhead?: number;
}

interface DecodedBlock {
  readonly read: WorkBlock;
  /** The height of its cut. */
  readonly height: number;
}

/** Blocks of a cut that waits to be installed, before they are decoded. */
interface LaterCut {
  readonly height: number;
  readonly blocks: readonly GivenBlock[];
}

type HeaderAndBody = BlockToRead & { readonly id?: string };

/** Four cuts of full blocks; blocks beyond that are decoded when their cut is installed. */
const DECODED_MAX = 1_024;
/**
 * No further cut is decoded while so many transactions of later cuts are: they keep the threads busy that check signatures,
 * and what is decoded earlier only gets old, which makes the garbage collector copy and mark it.
 */
const TRANSACTIONS_AHEAD = 512;
/** Nobody hands over cuts from further ahead, and they would be kept until the chain gets there. */
const CUTS_AHEAD_MAX = 1_024;

export class CertifiedBlocks {
  readonly #ports: CertifiedBlocksPorts;
  readonly #decoded = new Map<string, DecodedBlock>();
  readonly #waiting = new WaitingTransactions();
  /** Each height once, in their order, as cuts are handed over. */
  #later: LaterCut[] = [];
  /** Blocks given for a cut at the next height, by id. */
  readonly #offered = new Map<string, WorkBlock>();

  constructor(ports: CertifiedBlocksPorts) {
    this.#ports = ports;
  }

  /** Decodes blocks of a cut that waits to be installed before its turn comes, and has their signatures checked meanwhile. */
  decodeAhead(height: number, blocks: readonly GivenBlock[]): void {
    const ahead = height - this.#ports.chain.head.height;
    if (blocks.length === 0 || ahead <= 0 || ahead > CUTS_AHEAD_MAX) return;
    // A cut that is handed over again is here already, or is decoded when it is installed.
    if (height <= (this.#later.at(-1)?.height ?? 0)) return;
    this.#later.push({ height, blocks });
    this.#decodeMore();
  }

  #decodeMore(): void {
    const { transactionsAhead = TRANSACTIONS_AHEAD } = this.#ports;
    while (this.#waiting.notRegistered < transactionsAhead) {
      const next = this.#later.shift();
      if (next === undefined) return;
      this.#decodeCut(next);
    }
  }

  #decodeCut({ height, blocks }: LaterCut): void {
    const { chain, checkAhead } = this.#ports;
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

  /** Forgets the blocks of cuts up to the head, which has registered these, and decodes more of the later ones. */
  forget(registered: readonly WorkBlock[]): void {
    const { height } = this.#ports.chain.head;
    this.#offered.clear();
    this.#waiting.advance(registered.flatMap(({ transactions }) => transactions));
    const isRegistered = new Set(registered.map(({ block }) => block.id));
    for (const [id, decoded] of this.#decoded) {
      if (decoded.height > height) continue;
      this.#decoded.delete(id);
      if (!isRegistered.has(id)) this.#waiting.remove(decoded.read.transactions);
    }
    this.#later = this.#later.filter((cut) => cut.height > height);
    this.#decodeMore();
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
