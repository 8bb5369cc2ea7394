/**
 * The blocks of the pool in memory, indexed by id, anchor, body and transaction, with the cut that registered each. The
 * index decides nothing.
 */
import type { PooledBlock } from 'svc-serve/ports';

interface Entry {
  readonly pooled: PooledBlock;
  /** The height of the cut that registered the block; null until one has. */
  registeredHeight: number | null;
}

export class BlockIndex {
  readonly #byId = new Map<string, Entry>();
  readonly #byAnchor = new Map<number, Map<string, Entry>>();
  readonly #byTransaction = new Map<string, Entry[]>();
  readonly #countOfBody = new Map<string, number>();
  #bytes = 0;

  get size(): number {
    return this.#byId.size;
  }

  /** Of headers and bodies together. */
  get bytes(): number {
    return this.#bytes;
  }

  get(id: string): PooledBlock | undefined {
    return this.#byId.get(id)?.pooled;
  }

  /** A registered block comes before one that is not. */
  carrying(transactionId: string): PooledBlock | undefined {
    const entries = this.#byTransaction.get(transactionId) ?? [];
    const registered = entries.find(({ registeredHeight }) => registeredHeight !== null);
    return (registered ?? entries[0])?.pooled;
  }

  hasBody(bodyRoot: string): boolean {
    return this.#countOfBody.has(bodyRoot);
  }

  add(pooled: PooledBlock, registeredHeight: number | null): void {
    const { block, bytes, transactions } = pooled;
    const entry: Entry = { pooled, registeredHeight };
    this.#byId.set(block.id, entry);
    const siblings = this.#byAnchor.get(block.anchorHeight) ?? new Map<string, Entry>();
    this.#byAnchor.set(block.anchorHeight, siblings.set(block.id, entry));
    for (const { id } of transactions) {
      const carriers = this.#byTransaction.get(id) ?? [];
      this.#byTransaction.set(id, [...carriers, entry]);
    }
    this.#countBody(block.bodyRoot, 1);
    this.#bytes += bytes.header.length + bytes.body.length;
  }

  remove(id: string): PooledBlock | undefined {
    const entry = this.#byId.get(id);
    if (entry === undefined) return undefined;
    const { block, bytes, transactions } = entry.pooled;
    this.#byId.delete(id);
    const siblings = this.#byAnchor.get(block.anchorHeight);
    siblings?.delete(id);
    if (siblings?.size === 0) this.#byAnchor.delete(block.anchorHeight);
    for (const { id: transactionId } of transactions) this.#forgetCarrier(transactionId, entry);
    this.#countBody(block.bodyRoot, -1);
    this.#bytes -= bytes.header.length + bytes.body.length;
    return entry.pooled;
  }

  recordRegistration(id: string, height: number): void {
    const entry = this.#byId.get(id);
    if (entry !== undefined) entry.registeredHeight = height;
  }

  /** Anchors of blocks, the oldest first. */
  anchors(): number[] {
    return [...this.#byAnchor.keys()].sort((a, b) => a - b);
  }

  /** Blocks of an anchor that no cut has registered, in the order of their ids. */
  waitingOn(anchorHeight: number): PooledBlock[] {
    const entries = [...(this.#byAnchor.get(anchorHeight)?.entries() ?? [])];
    const waiting = entries.filter(([, { registeredHeight }]) => registeredHeight === null);
    return waiting.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { pooled }]) => pooled);
  }

  #countBody(bodyRoot: string, by: number): void {
    const count = (this.#countOfBody.get(bodyRoot) ?? 0) + by;
    if (count === 0) this.#countOfBody.delete(bodyRoot);
    else this.#countOfBody.set(bodyRoot, count);
  }

  #forgetCarrier(transactionId: string, entry: Entry): void {
    const carriers = this.#byTransaction.get(transactionId) ?? [];
    const others = carriers.filter((carrier) => carrier !== entry);
    if (others.length === 0) this.#byTransaction.delete(transactionId);
    else this.#byTransaction.set(transactionId, others);
  }
}
