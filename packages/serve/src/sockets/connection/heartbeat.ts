/**
 * Pings every connection once in a period, spread over it, and so finds those whose client is gone.
 */
import type { Clock } from 'svc-base/pure';
import type { Connection } from './connection.ts';

export const HEARTBEAT_MILLIS = 30_000;
const GROUPS = 30;

export class Heartbeat {
  readonly #clock: Clock;
  readonly #pauseMillis: number;
  readonly #groups: readonly Set<Connection>[] = Array.from({ length: GROUPS }, () => new Set());
  #turn = 0;
  #stop: (() => void) | undefined;

  constructor(clock: Clock, periodMillis: number) {
    this.#clock = clock;
    this.#pauseMillis = periodMillis / GROUPS;
  }

  /** Pings the connection from one period later on. Returns a function that stops the pings. */
  add(connection: Connection): () => void {
    const group = this.#groups[(this.#turn + GROUPS - 1) % GROUPS] as Set<Connection>;
    group.add(connection);
    return () => void group.delete(connection);
  }

  start(): void {
    this.#stop = this.#clock.after(this.#pauseMillis, () => {
      for (const connection of this.#groups[this.#turn] ?? []) connection.beat();
      this.#turn = (this.#turn + 1) % GROUPS;
      this.start();
    });
  }

  stop(): void {
    this.#stop?.();
  }
}
