/**
 * Who may not connect for a while, and why. A ban names a peer, and the address it used if that is a public
 * one: a new peer id costs nothing, a new address does.
 */
import { isPublic, type SocketAddress } from '../base/addresses.ts';

export interface Ban {
  /** A peer id or an address. */
  readonly subject: string;
  readonly reason: string;
  readonly untilMillis: number;
}

export const BANS_MAX = 4_096;

export class Bans {
  readonly #now: () => number;
  readonly #bans = new Map<string, Ban>();

  constructor(now: () => number) {
    this.#now = now;
  }

  add(ban: Ban): void {
    this.#bans.delete(ban.subject);
    if (this.#bans.size >= BANS_MAX) this.#forgetOne();
    this.#bans.set(ban.subject, ban);
  }

  /** Bans a peer, and the address it used if that is a public one. */
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
    return this.#bans.delete(subject);
  }

  isPeerBanned(peerId: string): boolean {
    return this.#isBanned(peerId);
  }

  isHostBanned(host: string): boolean {
    return this.#isBanned(host);
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
