/**
 * Blocks of certified cuts that are not final here yet. They count for their cut even if the pool would refuse
 * them. Blocks of cuts that wait to be installed are decoded some way ahead, and their signatures are checked
 * while the cuts before them are executed.
 */
import {
  type ExecutableTransaction,
  type Outpoint,
  type OutpointKey,
  outpointKey,
  outputKey,
  type StateView,
  type TransactionOutput,
} from 'svc-ledger';
import type { Chain } from 'svc-serve/ports';
import { SvcError } from 'svc-wasm/base';
import { type BlockToRead, type GivenBlock, readWorkBlock, type WorkBlock } from './work-blocks.ts';

/**
 * What transactions make whose blocks' cuts wait to be installed, by outpoint: others that wait too spend it. The database would
 * be asked for those outputs in vain, which costs more than an output that is there. It decides nothing: the
 * execution reads the state.
 *
 * Outpoints are the names here because the execution looks for them too: the engine keeps one copy of every text that names
 * something in a map, and making it takes ten times as long as finding it again. Ids of transactions would be further texts.
 */
export class WaitingTransactions {
  /** A transaction without outputs is here by its id, so that it is counted. */
  readonly #outputs = new Map<OutpointKey, TransactionOutput | undefined>();
  #size = 0;
  /** Registered by the last cut, so that the next one executes them. */
  #executedNext: readonly ExecutableTransaction[] = [];
  /** How many of those are here. */
  #registered = 0;

  /** How many of them no cut has registered yet. */
  get notRegistered(): number {
    return this.#size - this.#registered;
  }

  add(transactions: readonly ExecutableTransaction[]): void {
    for (const transaction of transactions) {
      const { outputs } = transaction;
      if (!this.#has(transaction)) this.#size++;
      this.#outputs.set(nameOf(transaction), outputs[0]);
      for (let index = 1; index < outputs.length; index++)
        this.#outputs.set(outputKey(transaction, index), outputs[index]);
    }
  }

  remove(transactions: readonly ExecutableTransaction[]): void {
    for (const transaction of transactions) {
      if (!this.#outputs.delete(nameOf(transaction))) continue;
      this.#size--;
      for (let index = 1; index < transaction.outputs.length; index++)
        this.#outputs.delete(outputKey(transaction, index));
    }
  }

  /** A cut has executed what the one before it registered, and has registered these. */
  advance(registered: readonly ExecutableTransaction[]): void {
    this.remove(this.#executedNext);
    this.#executedNext = registered;
    this.#registered = registered.filter((transaction) => this.#has(transaction)).length;
  }

  readonly findOutput = (outpoint: Outpoint): TransactionOutput | undefined =>
    this.#outputs.get(outpointKey(outpoint));

  #has(transaction: ExecutableTransaction): boolean {
    return this.#outputs.has(nameOf(transaction));
  }
}

/** The outpoint of the first output; without outputs the id. */
function nameOf(transaction: ExecutableTransaction): OutpointKey {
  return transaction.outputs.length === 0 ? transaction.id : outputKey(transaction, 0);
}

/** An output that a transaction makes which waits to be executed. */
export type FindWaitingOutput = (outpoint: Outpoint) => TransactionOutput | undefined;

export interface CheckAhead {
  /**
   * Notes the transactions whose signatures hold for the outputs that wait or that the view shows, with
   * `WireTransactions.accept`; others are left to the cut. Resolves when all are checked, and never rejects.
   */
  checkAhead(
    transactions: readonly ExecutableTransaction[],
    view: StateView,
    findWaiting?: FindWaitingOutput,
  ): Promise<void>;
}

/** The cut checks everything itself. */
export const NO_CHECK_AHEAD: CheckAhead = { checkAhead: async () => {} };

interface CertifiedBlocksPorts {
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
/** Cuts from further ahead are not handed over, and they would be kept until the chain gets there. */
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
