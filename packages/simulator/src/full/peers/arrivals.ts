/**
 * Whether what honest peers offer arrives: once everything has healed, a payment that one node has accepted and a block that
 * was mined on one reach every other node that is up, within a bounded time and whatever other peers do. Where a disk is slow,
 * nobody says when they do.
 */
import type { FullNode } from '../full-node.ts';

export interface ArrivalPorts {
  readonly nodes: readonly FullNode[];
  /** A node whose disk takes seconds for a cut refuses what follows from later ones, and may be the way to all others. */
  readonly isAnyDiskSlow: boolean;
  readonly now: () => number;
  readonly healedAtMs: () => number | undefined;
  readonly fail: (checker: string, detail: string) => void;
}

interface Offer {
  readonly what: string;
  readonly sinceMs: number;
  readonly isAt: (node: FullNode) => boolean;
  readonly missing: Set<FullNode>;
}

/** Across several nodes, each of which may ask somebody silent first. */
const ARRIVAL_MS_MAX = 12_000;

export class Arrivals {
  readonly #ports: ArrivalPorts;
  readonly #offers = new Set<Offer>();
  slowestMs = 0;

  constructor(ports: ArrivalPorts) {
    this.#ports = ports;
  }

  /** Whether nothing is on its way. */
  get isSettled(): boolean {
    return this.#offers.size === 0;
  }

  /** A node has something that others lack. */
  offer(what: string, isAt: (node: FullNode) => boolean): void {
    const { nodes, now, healedAtMs, isAnyDiskSlow } = this.#ports;
    if (healedAtMs() === undefined || isAnyDiskSlow) return;
    const missing = new Set(nodes.filter(({ isUp, isGone }) => isUp && !isGone));
    this.#offers.add({ what, sinceMs: now(), isAt, missing });
  }

  /** Called now and then. */
  look(): void {
    const { now, fail } = this.#ports;
    for (const offer of this.#offers) {
      const { what, sinceMs, isAt, missing } = offer;
      for (const node of missing) {
        const isAnother = !node.isUp || node.isGone || node.upSinceMs > sinceMs;
        if (isAnother || isAt(node)) missing.delete(node);
      }
      this.slowestMs = Math.max(this.slowestMs, now() - sinceMs);
      const [late] = missing;
      if (late === undefined) this.#offers.delete(offer);
      else if (now() > sinceMs + ARRIVAL_MS_MAX)
        fail('arrivals', `${what} has not reached node ${late.index}`);
    }
  }
}
