/**
 * Who may not connect for a while, and why. A ban names a peer, and the address it used if that is a public
 * one: a new peer id costs nothing, a new address does. Of an IPv6 address the ban names the /64, since whoever has one
 * address of it has all; a /48, which limits count, may have many owners.
 */
import { isIP } from 'node:net';
import { householdOf, isPublic, type SocketAddress } from '../base/addresses.ts';

export interface Ban {
  /** A peer id, an IPv4 address, or the /64 of an IPv6 one. */
  readonly subject: string;
  readonly reason: string;
  readonly untilMillis: number;
}

export const BANS_MAX = 4_096;

export class Bans {
  readonly #now: () => number;
  readonly #bans = new Map<string, Ban>();
  #isChanged = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns whether any ban was added or lifted since the last call. */
  consumeChange(): boolean {
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    return isChanged;
  }

  /** An IPv6 address, as earlier releases wrote it down, stands for its /64. */
  add(ban: Ban): void {
    const subject = subjectOf(ban.subject);
    this.#bans.delete(subject);
    if (this.#bans.size >= BANS_MAX) this.#forgetOne();
    this.#bans.set(subject, { ...ban, subject });
    this.#isChanged = true;
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
    const now = this.#now();
    for (const [subject, { untilMillis }] of this.#bans)
      if (untilMillis <= now) this.#bans.delete(subject);
    return [...this.#bans.values()];
  }

  #isBanned(subject: string): boolean {
    const ban = this.#bans.get(subject);
    if (ban === undefined) return false;
    if (ban.untilMillis > this.#now()) return true;
    this.#bans.delete(subject);
    return false;
  }

  /** The one that ends first. */
  #forgetOne(): void {
    let first: Ban | undefined;
    for (const ban of this.#bans.values())
      if (first === undefined || ban.untilMillis < first.untilMillis) first = ban;
    if (first !== undefined) this.#bans.delete(first.subject);
  }
}

/** What a ban of a peer id or an address is kept under. */
function subjectOf(text: string): string {
  return isIP(text) === 0 ? text : householdOf(text);
}
