/**
 * The processor of a simulated process, as far as proofs of work wait for it: it checks one after another, each block once,
 * and does the work of cuts in between. Both take a part of the time between two cuts in seeds with an outage, and no time in
 * others.
 */
import { type Clock, sleep } from 'svc-base/pure';
import { toHex } from 'svc-wasm/base';

/** How long a process is busy with one block and with one cut. */
export interface ProofCosts {
  readonly proofMs: number;
  readonly cutMs: number;
}

export class ProofQueue {
  readonly #clock: Clock;
  readonly #costs: ProofCosts;
  readonly #checked = new Map<string, number>();
  #freeAtMs = 0;

  constructor(clock: Clock, costs: ProofCosts) {
    this.#clock = clock;
    this.#costs = costs;
  }

  /** A cut was decided: its votes and its execution have cost time. */
  onCut(): void {
    this.#freeAtMs = Math.max(this.#clock.monotonic(), this.#freeAtMs) + this.#costs.cutMs;
  }

  /** Makes the call when the proof of the header is checked, after those that came before it. */
  after<T>(header: Uint8Array, call: () => Promise<T>): Promise<T> {
    const { proofMs } = this.#costs;
    if (proofMs === 0) return call();
    const now = this.#clock.monotonic();
    const name = toHex(header);
    const checkedAtMs = this.#checked.get(name) ?? Math.max(now, this.#freeAtMs) + proofMs;
    this.#checked.set(name, checkedAtMs);
    this.#freeAtMs = Math.max(this.#freeAtMs, checkedAtMs);
    return checkedAtMs <= now ? call() : sleep(this.#clock, checkedAtMs - now).then(call);
  }
}
