/**
 * Tells of events in the order of their numbers, each once it is on the disk. An event that a cut brings is there when its
 * commit returns. One that comes by itself shares a commit with whatever else is done lazily, payments above all, and nobody
 * sees it before it is synced: a crash may lose it, and then nobody was told.
 */
import { type Log, messageOf } from 'svc-base/pure';
import type { StoredEvent } from './events.ts';
import { GroupCommit } from './group-commit.ts';
import type { State } from './open-state.ts';

export interface EventTellerPorts {
  readonly state: Pick<State, 'database' | 'events' | 'meta'>;
  readonly log: Log;
  /** Tells whoever listens. */
  tell(event: StoredEvent): void;
}

export class EventTeller {
  readonly #ports: EventTellerPorts;
  readonly #commit: GroupCommit;
  /** Recorded, and perhaps not on the disk yet. */
  #waiting: StoredEvent[] = [];

  constructor(ports: EventTellerPorts) {
    this.#ports = ports;
    this.#commit = new GroupCommit({ state: ports.state, copy: undefined, audit: undefined });
  }

  /** Tells of events whose commit is on the disk, and with it everything that was recorded before them. */
  tell(events: readonly StoredEvent[]): void {
    const last = events.at(-1);
    if (last === undefined) return;
    this.#release(last.sequence);
    for (const event of events) this.#ports.tell(event);
  }

  /** Records an event that comes by itself; it is told when it is on the disk. */
  record(event: string, data: object): void {
    const { log, state } = this.#ports;
    if (!state.database.isOpen) return;
    const recorded = state.events.addLazily(event, state.meta.number('indexed_height', 0), data);
    this.#waiting.push(recorded);
    this.#commit.synced().then(
      () => this.#release(recorded.sequence),
      // The state stays unusable: payments and cuts meet the same failure.
      (error: unknown) => log.error({ event, error: messageOf(error) }, 'an event was not kept'),
    );
  }

  /** Resolves when nothing that was recorded is on its way to the disk. */
  async settled(): Promise<void> {
    await this.#commit.settled();
  }

  #release(upTo: number): void {
    const { state, tell } = this.#ports;
    state.events.release(upTo);
    const durable = this.#waiting.filter(({ sequence }) => sequence <= upTo);
    this.#waiting = this.#waiting.filter(({ sequence }) => sequence > upTo);
    for (const event of durable) tell(event);
  }
}
