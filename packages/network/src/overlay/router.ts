/**
 * The route of a message to a validator: over the own link, or through two neighbours that have one. Relays that a
 * validator names in its record come first.
 */

import type { OverlayLink } from './link.ts';
import type { Members } from './members.ts';
import type { RecordBook } from './record.ts';

const FORWARDERS = 2;

export class Router {
  readonly #links: ReadonlyMap<string, OverlayLink>;
  readonly #members: Members;
  readonly #records: RecordBook;

  constructor(links: ReadonlyMap<string, OverlayLink>, members: Members, records: RecordBook) {
    this.#links = links;
    this.#members = members;
    this.#records = records;
  }

  /** Neighbours through which a validator without a link can be reached, at most two. */
  forwardersOf(validatorId: string): OverlayLink[] {
    const named = this.#records.get(validatorId)?.relays ?? [];
    const relays = named.map((id) => this.#links.get(id)).filter((link) => link !== undefined);
    const common = [...this.#links.values()].filter(
      (link) => link.neighbours.has(validatorId) && !relays.includes(link),
    );
    return [...relays, ...shuffled(common)].slice(0, FORWARDERS);
  }

  /** The validators that each neighbour passes a broadcast on to. */
  forwards(): Map<OverlayLink, string[]> {
    const forwards = new Map<OverlayLink, string[]>();
    for (const id of this.#members.ids) {
      if (this.#links.has(id)) continue;
      for (const link of this.forwardersOf(id)) {
        const targets = forwards.get(link);
        if (targets === undefined) forwards.set(link, [id]);
        else targets.push(id);
      }
    }
    return forwards;
  }
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
