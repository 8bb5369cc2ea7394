/**
 * A queue that senders share: each has a line of its own, and lines take turns. A full queue drops the newest item of the
 * sender that uses most of it, so a sender that uses no more than its share of the room loses nothing to others. What
 * comes and goes costs the same however many senders there are.
 */

interface Line<Item> {
  readonly sender: string;
  /** Entries before `first` have left. */
  readonly entries: Entry<Item>[];
  first: number;
  units: number;
}

interface Entry<Item> {
  readonly item: Item;
  readonly units: number;
}

/** Entries that have left a line are removed from its array in blocks of at least this many. */
const LEFT_MAX = 64;

export class FairQueue<Item> {
  readonly #unitsMax: number;
  /** Senders with items, in the order of their turns. */
  readonly #lines = new Map<string, Line<Item>>();
  /** Queues by the units that they use, and the largest use. */
  readonly #levels = new Map<number, Set<Line<Item>>>();
  #most = 0;
  #units = 0;
  #length = 0;

  constructor(unitsMax: number) {
    this.#unitsMax = unitsMax;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds an item and drops what exceeds the limit: others, or the item itself. Returns how many were dropped. */
  push(sender: string, item: Item, units: number): number {
    let line = this.#lines.get(sender);
    if (line === undefined) {
      line = { sender, entries: [], first: 0, units: 0 };
      this.#lines.set(sender, line);
    }
    line.entries.push({ item, units });
    this.#length += 1;
    this.#use(line, units);
    let dropped = 0;
    for (; this.#units > this.#unitsMax; dropped++) this.#dropNewest();
    return dropped;
  }

  /** The next item; its sender's next turn comes after all others. */
  shift(): Item | undefined {
    const [line] = this.#lines.values();
    if (line === undefined) return undefined;
    const { item, units } = line.entries[line.first] as Entry<Item>;
    line.first += 1;
    if (line.first >= LEFT_MAX && 2 * line.first >= line.entries.length) {
      line.entries.splice(0, line.first);
      line.first = 0;
    }
    this.#lines.delete(line.sender);
    this.#length -= 1;
    this.#use(line, -units);
    if (line.first < line.entries.length) this.#lines.set(line.sender, line);
    return item;
  }

  #dropNewest(): void {
    for (const line of this.#levels.get(this.#most) ?? []) {
      const { units } = line.entries.pop() as Entry<Item>;
      this.#length -= 1;
      this.#use(line, -units);
      if (line.first === line.entries.length) this.#lines.delete(line.sender);
      return;
    }
  }

  #use(line: Line<Item>, units: number): void {
    this.#units += units;
    const before = this.#levels.get(line.units);
    before?.delete(line);
    if (before?.size === 0) this.#levels.delete(line.units);
    line.units += units;
    if (line.units > 0) {
      const after = this.#levels.get(line.units);
      if (after === undefined) this.#levels.set(line.units, new Set([line]));
      else after.add(line);
    }
    this.#most = Math.max(this.#most, line.units);
    while (this.#most > 0 && !this.#levels.has(this.#most)) this.#most -= 1;
  }
}
