/**
 * Rates of the network over its last cuts, in whole numbers. A registered block stands for as many hashes as
 * its target makes it take on average.
 */
import type { RatesDocument } from 'svc-api';
import { numberKey, REGISTRATION_WINDOW_CUTS } from 'svc-ledger';
import type { Chain, FinalizedCut, Rates } from 'svc-serve/ports';
import { type ChainReader, PAGE_LIMITS, readAtHead } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import type { Anchors } from '../blocks/anchors.ts';

interface CutFigures {
  readonly hashes: bigint;
  readonly blocks: number;
  readonly transactions: number;
}

/** The window reaches as far back as the state knows which anchors the blocks of a cut had. */
const WINDOW_CUTS = REGISTRATION_WINDOW_CUTS;
const HASHES = 1n << 256n;
const MILLIS = 1_000n;

export class CutRates implements Rates {
  readonly #anchors: Anchors;
  readonly #cuts = new Map<number, CutFigures>();
  readonly close: () => void;

  /** The anchors must have been opened before: they then follow each new cut before the rates do. */
  static async open(chain: Chain, anchors: Anchors): Promise<CutRates> {
    const rates = new CutRates(chain, anchors);
    const { height: head } = chain.head;
    const first = Math.max(1, head - WINDOW_CUTS + 1);
    const anchorsOf = new Map<number, readonly number[]>();
    for (let height = first; height <= head; height++) {
      const blocks = chain.view.get('registered', numberKey(height))?.blocks ?? [];
      anchorsOf.set(
        height,
        blocks.map(({ anchorHeight }) => anchorHeight),
      );
    }
    await readAtHead(chain, async (reader) => {
      for (const [height, anchorHeights] of anchorsOf)
        rates.#add(height, anchorHeights, await countFinalized(reader, height));
    });
    return rates;
  }

  private constructor(chain: Chain, anchors: Anchors) {
    this.#anchors = anchors;
    this.close = chain.finalized.on((cut) => this.#follow(cut));
  }

  document(): RatesDocument {
    const { newest } = this.#anchors;
    const cuts = [...this.#cuts.values()];
    const start = this.#anchors.at(newest.height - cuts.length) ?? newest;
    const elapsed = BigInt(Math.max(0, newest.timeMillis - start.timeMillis));
    const sum = (of: (cut: CutFigures) => number) => cuts.reduce((all, cut) => all + of(cut), 0);
    const hashes = cuts.reduce((all, cut) => all + cut.hashes, 0n);
    const blocks = sum((cut) => cut.blocks);
    const transactions = sum((cut) => cut.transactions);
    const count = BigInt(cuts.length);
    return {
      api_version: 1,
      finalized_height: newest.height,
      window_cuts: cuts.length,
      window_millis: Number(elapsed),
      hashrate: String(quotient(hashes * MILLIS, elapsed)),
      target: toHex(newest.target),
      registered_blocks: blocks,
      blocks_per_cut: thousandths(quotient(BigInt(blocks) * 1_000n, count)),
      cut_millis: Number(quotient(elapsed, count)),
      transactions,
      transactions_per_second: thousandths(
        quotient(BigInt(transactions) * MILLIS * 1_000n, elapsed),
      ),
    };
  }

  #follow({ height, input, result }: FinalizedCut): void {
    const finalized = result.events.outcomes.filter(({ kind }) => kind === 'finalized');
    const anchorHeights = input.registered.map(({ anchorHeight }) => anchorHeight);
    this.#add(height, anchorHeights, finalized.length);
    this.#cuts.delete(height - WINDOW_CUTS);
  }

  #add(height: number, anchorHeights: readonly number[], transactions: number): void {
    const hashes = anchorHeights.reduce((sum, anchor) => sum + this.#hashesOf(anchor), 0n);
    this.#cuts.set(height, { hashes, blocks: anchorHeights.length, transactions });
  }

  /** How many hashes a block of this anchor takes on average. */
  #hashesOf(anchorHeight: number): bigint {
    const anchor = this.#anchors.at(anchorHeight);
    return anchor === undefined ? 0n : HASHES / (BigInt(`0x${toHex(anchor.target)}`) + 1n);
  }
}

async function countFinalized(reader: ChainReader, height: number): Promise<number> {
  let count = 0;
  let after: number | undefined;
  for (;;) {
    const page = await reader.cutTransactions(height, {
      after,
      limit: PAGE_LIMITS.cutTransactions,
    });
    count += page.rows.filter(({ outcome }) => outcome.kind === 'finalized').length;
    if (page.next === null) return count;
    after = page.next;
  }
}

/** The quotient; zero while the divisor is zero. */
function quotient(dividend: bigint, divisor: bigint): bigint {
  return divisor === 0n ? 0n : dividend / divisor;
}

function thousandths(value: bigint): string {
  return `${value / 1_000n}.${String(value % 1_000n).padStart(3, '0')}`;
}
