/**
 * Brings what was committed to the disk before it leaves the wallet: first in the state, then in its copy and in the audit
 * file, which never have something that the state could still forget. Payments that wait at the same time share one
 * sync of each file, and no payment waits in line for the disk: the syncs happen beside other work.
 */

import { type Log, messageOf } from 'svc-base/pure';
import type { AuditFile } from './audit-file.ts';
import type { StoredEvent } from './events.ts';
import type { JournalCopy } from './journal-copy.ts';
import type { State } from './open-state.ts';

export interface GroupCommitPorts {
  readonly state: Pick<State, 'database'>;
  readonly copy: Pick<JournalCopy, 'mark' | 'syncUpTo'> | undefined;
  readonly audit: Pick<AuditFile, 'mark' | 'syncUpTo'> | undefined;
  /** Called when the state has reached the disk and the other files have not. */
  onStateSynced?(): void;
}

export class GroupCommit {
  readonly #ports: GroupCommitPorts;
  #syncing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #groups = 0;

  constructor(ports: GroupCommitPorts) {
    this.#ports = ports;
  }

  /** How many groups were synced, since the daemon started. */
  get groups(): number {
    return this.#groups;
  }

  /** Resolves when everything that was committed before the call is on the disk; what it throws is fatal. */
  synced(): Promise<void> {
    this.#next ??= this.#afterThis();
    return this.#next;
  }

  /** Resolves when no sync is under way any more. */
  async settled(): Promise<void> {
    await (this.#next ?? this.#syncing).catch(() => {});
  }

  async #afterThis(): Promise<void> {
    // A failure is reported to those who waited for that sync, and stays with the file that failed.
    await this.#syncing.catch(() => {});
    // Payments that are made one after the other at this moment come along.
    await new Promise((resolve) => setImmediate(resolve));
    this.#next = undefined;
    this.#syncing = this.#sync();
    await this.#syncing;
  }

  async #sync(): Promise<void> {
    const { audit, copy, onStateSynced, state } = this.#ports;
    const copyMark = copy?.mark();
    const auditMark = audit?.mark();
    await state.database.flush();
    onStateSynced?.();
    await Promise.all([
      copyMark === undefined ? undefined : copy?.syncUpTo(copyMark),
      auditMark === undefined ? undefined : audit?.syncUpTo(auditMark),
    ]);
    this.#groups++;
  }
}

interface EventTellerPorts {
  readonly state: Pick<State, 'database' | 'events' | 'meta'>;
  readonly log: Log;
  /** Calls the subscribers. */
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

  /** Reports events whose commit is on the disk, and with it everything that was recorded before them. */
  tell(events: readonly StoredEvent[]): void {
    const last = events.at(-1);
    if (last === undefined) return;
    this.#release(last.sequence);
    for (const event of events) this.#ports.tell(event);
  }

  /** Records an event that comes by itself; it is reported when it is on the disk. */
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
