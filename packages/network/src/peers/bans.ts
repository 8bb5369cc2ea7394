/**
 * Which peers may not connect for a while, and why. A ban names a peer, and the address it used if that is a public
 * one: a new peer id costs nothing, a new address does. Of an IPv6 address the ban names the /64, since the holder of
 * one address of it has all; a /48, which limits count, may have many owners. A ban lasts by the monotonic clock; the
 * wall clock says when it ends, to people and to the next run.
 */
import { isIP } from 'node:net';
import type { Clock } from 'svc-base/pure';
import { householdOf, isPublic, type SocketAddress } from '../base/addresses.ts';

export interface Ban {
  /** A peer id, an IPv4 address, or the /64 of an IPv6 one. */
  readonly subject: string;
  readonly reason: string;
  /** By the wall clock. */
  readonly untilMillis: number;
}

export const BANS_MAX = 4_096;
export const BAN_MILLIS = 3_600_000;

interface Kept {
  readonly subject: string;
  readonly reason: string;
  /** By the monotonic clock. */
  readonly endsAtMillis: number;
}

export class Bans {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #bans = new Map<string, Kept>();
  #isChanged = false;

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock;
  }

  /** Returns whether any ban was added or lifted since the last call. */
  consumeChange(): boolean {
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    return isChanged;
  }

  /** An IPv6 address, as earlier releases wrote it down, stands for its /64. */
  add({ subject: text, reason, untilMillis }: Ban): void {
    const subject = subjectOf(text);
    this.#bans.delete(subject);
    if (this.#bans.size >= BANS_MAX) this.#forgetOne();
    const endsAtMillis = this.#clock.monotonic() + untilMillis - this.#clock.now();
    this.#bans.set(subject, { subject, reason, endsAtMillis });
    this.#isChanged = true;
  }

  /** Adds bans of an earlier run. Its clock may have been ahead, or this one may not be set yet. */
  restore(ban: Ban): void {
    const untilMillis = Math.min(ban.untilMillis, this.#clock.now() + BAN_MILLIS);
    this.add({ ...ban, untilMillis });
  }

  /** Bans a peer, and where it came from if that is public. */
  addPeer(
    { id, address }: { readonly id: string; readonly address: SocketAddress | undefined },
    reason: string,
    untilMillis: number,
  ): void {
    this.add({ subject: id, reason, untilMillis });
    if (address === undefined || !isPublic(address.host)) return;
    this.add({ subject: address.host, reason, untilMillis });
  }

  lift(subject: string): boolean {
    const isLifted = this.#bans.delete(subjectOf(subject));
    if (isLifted) this.#isChanged = true;
    return isLifted;
  }

  isPeerBanned(peerId: string): boolean {
    return this.#isBanned(peerId);
  }

  isHostBanned(host: string): boolean {
    return this.#isBanned(subjectOf(host));
  }

  /** The bans that still hold. */
  list(): Ban[] {
    const now = this.#clock.now() - this.#clock.monotonic();
    return [...this.#bans.values()]
      .filter((ban) => this.#holds(ban))
      .map(({ subject, reason, endsAtMillis }) => {
        return { subject, reason, untilMillis: Math.round(now + endsAtMillis) };
      });
  }

  #isBanned(subject: string): boolean {
    const ban = this.#bans.get(subject);
    return ban !== undefined && this.#holds(ban);
  }

  /** Whether a ban has not ended; one that has is forgotten. */
  #holds({ subject, endsAtMillis }: Kept): boolean {
    if (endsAtMillis > this.#clock.monotonic()) return true;
    this.#bans.delete(subject);
    return false;
  }

  /** The one that ends first. */
  #forgetOne(): void {
    let first: Kept | undefined;
    for (const ban of this.#bans.values())
      if (first === undefined || ban.endsAtMillis < first.endsAtMillis) first = ban;
    if (first !== undefined) this.#bans.delete(first.subject);
  }
}

/** What a ban of a peer id or an address is kept under. */
function subjectOf(text: string): string {
  return isIP(text) === 0 ? text : householdOf(text);
}
