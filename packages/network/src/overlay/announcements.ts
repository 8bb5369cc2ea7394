/**
 * Records on their way through the overlay: this validator's own is renewed when it changes or grows old;
 * those of others are checked, kept, and passed on once. A neighbour may show this validator a record of its own from an
 * earlier run, made by a clock that was ahead; what it announces then goes above that.
 */

import type { Clock } from 'svc-base/pure';
import { equalBytes, isRefusal, toHex } from 'svc-wasm/base';
import { keyHash } from 'svc-wasm/protocol';
import type { Route } from './endpoint.ts';
import type { OwnIdentity } from './handshake.ts';
import type { OverlayLink } from './link.ts';
import { LINK } from './link-kinds.ts';
import type { Members } from './members.ts';
import {
  isSignedWith,
  type OverlayRecord,
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

const NOT_SIGNED = 'a record whose signature does not hold';
/** Earlier records of its own make a validator announce again no more often than this: another run with its key may do the same. */
const OUTBID_MILLIS = 10_000;

export class Announcements {
  readonly #options: AnnouncementsOptions;
  #relays: readonly string[] = [];
  #cancelRenewal: (() => void) | undefined;
  #cancelOutbid: (() => void) | undefined;
  #outbidAtMillis = Number.NEGATIVE_INFINITY;
  /** The greatest of its own sequences that this validator knows. */
  #sequence = 0;
  /** What it announced last in this run. */
  #announced: Uint8Array | undefined;
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
    this.#cancelOutbid?.();
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
      if (peeked.validatorId === own.validatorId) {
        this.#foundOwn(bytes, peeked);
        return;
      }
      if (!members.has(peeked.validatorId) || !records.isNew(peeked)) return;
      const keyHashOf = (id: string): string | undefined => members.keyHashOf(id);
      const signed = openRecord(bytes, own.chainId, keyHashOf);
      if (signed === undefined) throw new Error(NOT_SIGNED);
      this.#spread(signed, link);
    } catch (error) {
      if (isRefusal(error)) throw new Error(`a malformed record: ${error.message}`);
      throw error;
    }
  }

  /** Others accept an announcement of this validator only above every sequence that it signed before. */
  #foundOwn(bytes: Uint8Array, { sequence }: OverlayRecord): void {
    const { own, clock } = this.#options;
    if (sequence < this.#sequence || !isSignedWith(bytes, own.key.publicKey)) return;
    if (this.#announced !== undefined && equalBytes(bytes, this.#announced)) return;
    const keyHashOf = (): string => toHex(keyHash(own.key.publicKey));
    if (openRecord(bytes, own.chainId, keyHashOf) === undefined) throw new Error(NOT_SIGNED);
    this.#sequence = sequence;
    if (this.#announced === undefined) return;
    const waitMillis = this.#outbidAtMillis + OUTBID_MILLIS - clock.monotonic();
    this.#cancelOutbid ??= clock.after(Math.max(0, waitMillis), () => {
      this.#outbidAtMillis = clock.monotonic();
      this.#announce();
    });
  }

  #announce(): void {
    if (this.#isClosed) return;
    const { own, routes, clock } = this.#options;
    this.#cancelRenewal?.();
    this.#cancelOutbid?.();
    this.#cancelOutbid = undefined;
    const now = clock.now();
    this.#sequence = Math.max(this.#sequence + 1, now);
    const record = {
      validatorId: own.validatorId,
      sequence: this.#sequence,
      expiryMillis: now + RECORD_MILLIS,
      routes,
      relays: this.#relays,
    };
    const signed = signRecord(record, own.chainId, own.key);
    this.#announced = signed.bytes;
    this.#spread(signed);
    this.#cancelRenewal = clock.after(RECORD_MILLIS / 2, () => this.#announce());
  }

  #spread(signed: SignedRecord, from?: OverlayLink): void {
    const { records, links } = this.#options;
    records.put(signed);
    for (const link of links.values()) if (link !== from) link.send(LINK.record, signed.bytes);
  }
}
