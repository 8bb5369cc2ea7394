/**
 * Looks after the heartbeats of a network that comes back from an outage: no validator that is up lapses, however fast
 * the chain catches up with its clock.
 */
import { epochOf, livenessOf } from 'svc-ledger';
import type { FullNode } from '../full-node.ts';

export interface LapseWatchPorts {
  /** Validators come first. */
  readonly nodes: readonly FullNode[];
  readonly now: () => number;
  readonly healedAtMs: () => number | undefined;
  readonly fail: (checker: string, detail: string) => void;
}

/** Epochs that are decided after everything has healed: two without a heartbeat, and the one in which it shows. */
const EPOCHS_AFTER = 3;
/** A heartbeat holds for so many epochs after its own. */
const HEARTBEAT_EPOCHS = 2;

export class LapseWatch {
  readonly #ports: LapseWatchPorts;
  /** When the last cut before an epoch was decided. */
  readonly #begunAtMs = new Map<number, number>();
  #healedEpoch: number | undefined;
  #newest = 0;

  constructor(ports: LapseWatchPorts) {
    this.#ports = ports;
  }

  /** What has to be decided yet; undefined when enough epochs have passed. */
  get missing(): string | undefined {
    const last = this.#healedEpoch === undefined ? undefined : this.#healedEpoch + EPOCHS_AFTER;
    if (last !== undefined && this.#begunAtMs.has(last)) return undefined;
    return `the chain stands at ${this.#newest}, epoch ${last} has not begun`;
  }

  /** Must be called whenever a node has executed a cut. */
  onFinalized(node: FullNode): void {
    const { now, healedAtMs } = this.#ports;
    const { chain, height } = node;
    if (height <= this.#newest) return;
    this.#newest = height;
    const { interval } = chain.parameters;
    if (healedAtMs() !== undefined) this.#healedEpoch ??= epochOf(height, interval);
    if (height % interval !== 0) return;
    const epoch = epochOf(height + 1, interval);
    this.#begunAtMs.set(epoch, now());
    this.#checkAll(node, epoch);
  }

  #checkAll({ chain }: FullNode, epoch: number): void {
    const { nodes, fail } = this.#ports;
    for (const { id, index, key, isUp, isGone, upSinceMs } of nodes) {
      const validator = key === undefined ? undefined : chain.view.get('validators', id);
      const since = this.#begunAtMs.get(epoch - HEARTBEAT_EPOCHS) ?? Number.NEGATIVE_INFINITY;
      const isWatched = isUp && !isGone && upSinceMs <= since && this.#isHealedBefore(since);
      if (validator !== undefined && isWatched && livenessOf(validator, epoch) === 'lapsed')
        fail('lapses', `validator ${index} is up and lapses in epoch ${epoch}`);
    }
  }

  #isHealedBefore(atMs: number): boolean {
    const healed = this.#ports.healedAtMs();
    return healed !== undefined && healed <= atMs;
  }
}
