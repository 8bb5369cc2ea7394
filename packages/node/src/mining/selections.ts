/**
 * The transactions of templates. What was chosen for an address is kept for five seconds, so that asking often
 * costs little; what has left the mempool or is in a block by then is left out.
 */
import type { Clock } from 'svc-base/pure';
import { BLOCK_MASS_MAX } from 'svc-ledger';
import type { BlockPool, Mempool, PooledTransaction } from 'svc-serve/ports';
import { BLOCK_BODY_BYTES_MAX } from 'svc-wasm/protocol';

export const SELECTION_MILLIS = 5_000;
/** The most addresses that templates are made for at the same time. */
const PAYOUTS_MAX = 256;
/** Bytes of the format, payout, extranonce, eight parents and the two counts. */
const FIXED_BODY_BYTES = 1 + 49 + 32 + 1 + 8 * 48 + 2;

export interface SelectionPorts {
  readonly mempool: Pick<Mempool, 'get' | 'select'>;
  readonly blocks: Pick<BlockPool, 'carrying'>;
  readonly clock: Clock;
}

export interface Selection {
  readonly transactions: readonly PooledTransaction[];
  readonly maxTransactions: number;
  readonly untilMillis: number;
}

export class Selections {
  readonly #ports: SelectionPorts;
  readonly #byPayout = new Map<string, Selection>();

  constructor(ports: SelectionPorts) {
    this.#ports = ports;
  }

  /** The selection kept for a payout, or a new one; undefined if too many addresses ask at once. */
  keptFor(payout: string, maxTransactions: number): Selection | undefined {
    const now = this.#ports.clock.now();
    const kept = this.#byPayout.get(payout);
    if (kept !== undefined && isKept(kept, now) && kept.maxTransactions >= maxTransactions) {
      const waiting = kept.transactions.filter((transaction) => this.#isWaiting(transaction));
      return { ...kept, transactions: waiting.slice(0, maxTransactions) };
    }
    for (const [other, selection] of this.#byPayout)
      if (other === payout || !isKept(selection, now)) this.#byPayout.delete(other);
    if (this.#byPayout.size >= PAYOUTS_MAX) return undefined;
    const selection = { ...this.fresh(maxTransactions), untilMillis: now + SELECTION_MILLIS };
    this.#byPayout.set(payout, selection);
    return selection;
  }

  /** A selection made now and not kept. */
  fresh(maxTransactions: number): Selection {
    const { mempool, blocks, clock } = this.#ports;
    const transactions = mempool.select({
      maxTransactions,
      maxBytes: BLOCK_BODY_BYTES_MAX - FIXED_BODY_BYTES,
      maxMass: BLOCK_MASS_MAX,
      skip: (id) => blocks.carrying(id) !== undefined,
    });
    return { transactions, maxTransactions, untilMillis: clock.now() };
  }

  #isWaiting({ id }: PooledTransaction): boolean {
    const { mempool, blocks } = this.#ports;
    return mempool.get(id) !== undefined && blocks.carrying(id) === undefined;
  }
}

/** Whether a selection may still be used; a clock that went back makes none last longer. */
function isKept({ untilMillis }: Selection, now: number): boolean {
  return now < untilMillis && untilMillis <= now + SELECTION_MILLIS;
}
