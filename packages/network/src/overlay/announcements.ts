/**
 * Records on their way through the overlay: this validator's own is made anew when it changes or grows old;
 * those of others are checked, kept, and passed on once.
 */

import type { Clock } from 'svc-base/pure';
import { isRefusal } from 'svc-wasm/base';
import type { Route } from './endpoint.ts';
import type { OwnIdentity } from './handshake.ts';
import type { OverlayLink } from './link.ts';
import { LINK } from './link-kinds.ts';
import type { Members } from './members.ts';
import {
  openRecord,
  peekRecord,
  RECORD_MILLIS,
  type RecordBook,
  type SignedRecord,
  signRecord,
} from './record.ts';

export interface AnnouncementsOptions {
  readonly own: OwnIdentity;
  readonly links: ReadonlyMap<string, OverlayLink>;
  readonly members: Members;
  readonly records: RecordBook;
  readonly clock: Clock;
  /** Where this validator is, if it is not where it registered. */
  readonly routes: readonly Route[];
}

export class Announcements {
  readonly #options: AnnouncementsOptions;
  #relays: readonly string[] = [];
  #cancelRenewal: (() => void) | undefined;
  #sequence = 0;
  #isClosed = false;

  constructor(options: AnnouncementsOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#options.routes.length > 0) this.#announce();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRenewal?.();
  }

  relaysChanged(relays: readonly string[]): void {
    this.#relays = relays;
    this.#announce();
  }

  /** Sends every record to a new neighbour. */
  greet(link: OverlayLink): void {
    for (const { bytes } of this.#options.records.list()) link.send(LINK.record, bytes);
  }

  received(link: OverlayLink, bytes: Uint8Array): void {
    const { own, members, records } = this.#options;
    try {
      const peeked = peekRecord(bytes);
      if (!members.has(peeked.validatorId) || !records.isNew(peeked)) return;
      const keyHashOf = (id: string): string | undefined => members.keyHashOf(id);
      const signed = openRecord(bytes, own.chainId, keyHashOf);
      if (signed === undefined) throw new Error('a record whose signature does not hold');
      this.#spread(signed, link);
    } catch (error) {
      if (isRefusal(error)) throw new Error(`a malformed record: ${error.message}`);
      throw error;
    }
  }

  #announce(): void {
    if (this.#isClosed) return;
    const { own, routes, clock } = this.#options;
    this.#cancelRenewal?.();
    const now = clock.now();
    this.#sequence = Math.max(this.#sequence + 1, now);
    const record = {
      validatorId: own.validatorId,
      sequence: this.#sequence,
      expiryMillis: now + RECORD_MILLIS,
      routes,
      relays: this.#relays,
    };
    this.#spread(signRecord(record, own.chainId, own.key));
    this.#cancelRenewal = clock.after(RECORD_MILLIS / 2, () => this.#announce());
  }

  #spread(signed: SignedRecord, from?: OverlayLink): void {
    const { records, links } = this.#options;
    records.put(signed);
    for (const link of links.values()) if (link !== from) link.send(LINK.record, signed.bytes);
  }
}
