/**
 * The newest of the transactions that arrived and are still pending. A cut of thousands of payments
 * brings a frame for each; what is drawn of them changes once in a while, not once for each frame.
 */
import type { PendingTransaction, TopicEvent } from 'svc-api';
import type { Clock } from 'svc-base/pure';

export const ARRIVALS_KEPT = 400;
/** As often as an eye can follow what comes and goes. */
export const DRAW_MILLIS = 250;

export interface ArrivalsPorts {
  /** Shows the pending transactions. */
  readonly draw: (waiting: readonly PendingTransaction[]) => void;
  readonly clock: Pick<Clock, 'after'>;
}

export class Arrivals {
  readonly #ports: ArrivalsPorts;
  /** In the order of arrival. */
  readonly #waiting = new Map<string, PendingTransaction>();
  #cancel: (() => void) | undefined;

  constructor(ports: ArrivalsPorts) {
    this.#ports = ports;
  }

  onEvent(event: TopicEvent): void {
    if (event.type === 'mempool_transaction') {
      this.#waiting.set(event.data.transaction_id, event.data);
      if (this.#waiting.size > ARRIVALS_KEPT) this.#forgetOldest();
      this.#drawSoon();
    }
    if (event.type === 'mempool_transaction_removed') {
      if (this.#waiting.delete(event.data.transaction_id)) this.#drawSoon();
    }
  }

  /** Forgets everything: events may be missing, so it is unknown which entries are still pending. */
  clear(): void {
    if (this.#waiting.size === 0) return;
    this.#waiting.clear();
    this.#drawSoon();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #forgetOldest(): void {
    for (const id of this.#waiting.keys()) {
      this.#waiting.delete(id);
      return;
    }
  }

  #drawSoon(): void {
    this.#cancel ??= this.#ports.clock.after(DRAW_MILLIS, () => {
      this.#cancel = undefined;
      this.#ports.draw([...this.#waiting.values()]);
    });
  }
}
