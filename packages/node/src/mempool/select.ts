/**
 * What a template carries. By fee rate; within one rate own transactions first, then relayed ones; a relayed
 * one counts as own once it is one cut interval older than the oldest own one of that rate still waiting;
 * at random within each of the two. What a waiting block carries already, or what no block made now could
 * execute, does not wait.
 */
import type { SelectOptions } from '../ports/mempool.ts';
import { CUTS_UNTIL_EXECUTION } from './limits.ts';
import type { PoolEntry } from './pool-entry.ts';
import { type Random, shuffled } from './random.ts';
import type { RateGroup, RateOrder } from './rate-order.ts';

export interface SelectPorts {
  readonly order: RateOrder;
  readonly random: Random;
  readonly height: number;
  readonly cutIntervalMillis: number;
}

/** After so many that do not fit into what is left, the rest is not tried. */
const MISFITS_MAX = 64;

export function selectEntries(ports: SelectPorts, options: SelectOptions): PoolEntry[] {
  const selection = new Selection(options);
  for (const group of ports.order.groups()) {
    for (const entry of drawn(group, ports, options)) {
      if (selection.isFull) return selection.entries;
      selection.offer(entry);
    }
    if (selection.isFull) break;
  }
  return selection.entries;
}

class Selection {
  readonly entries: PoolEntry[] = [];
  readonly #options: SelectOptions;
  #bytes = 0;
  #mass = 0n;
  #misfits = 0;

  constructor(options: SelectOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.entries.length >= this.#options.maxTransactions || this.#misfits >= MISFITS_MAX;
  }

  offer(entry: PoolEntry): void {
    const bytes = this.#bytes + bodyBytes(entry);
    const mass = this.#mass + entry.mass;
    if (bytes > this.#options.maxBytes || mass > this.#options.maxMass) {
      this.#misfits++;
      return;
    }
    this.#bytes = bytes;
    this.#mass = mass;
    this.entries.push(entry);
  }
}

/** What it takes of a block's body: its length and its wire. */
function bodyBytes({ wire: { length } }: PoolEntry): number {
  return length + (length < 1 << 7 ? 1 : length < 1 << 14 ? 2 : 3);
}

function* drawn(
  { own, relayed }: RateGroup,
  { random, height, cutIntervalMillis }: SelectPorts,
  { skip }: SelectOptions,
): Generator<PoolEntry, void> {
  const executed = BigInt(height + CUTS_UNTIL_EXECUTION);
  const isWaiting = ({ id, transaction }: PoolEntry): boolean =>
    transaction.validFromHeight <= executed &&
    executed <= transaction.validUntilHeight &&
    skip?.(id) !== true;
  const oldest = own.size === 0 ? undefined : own.oldest(isWaiting);
  const countAsOwn =
    oldest === undefined ? 0 : relayed.placeAfter(oldest.receivedAtMillis - cutIntervalMillis);
  for (const place of shuffled(own.places + countAsOwn, random)) {
    const entry = place < own.places ? own.at(place) : relayed.at(place - own.places);
    if (entry !== undefined && isWaiting(entry)) yield entry;
  }
  for (const place of shuffled(relayed.places - countAsOwn, random)) {
    const entry = relayed.at(countAsOwn + place);
    if (entry !== undefined && isWaiting(entry)) yield entry;
  }
}
