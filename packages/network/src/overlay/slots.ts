/**
 * Slots at relays: a validator without a route keeps one at two neighbours that have one, and these promise to
 * stay connected and pass messages on to it.
 */
import type { Clock } from 'svc-base/pure';
import type { OverlayLink } from './link.ts';
import { LINK } from './link-kinds.ts';
import type { Members } from './members.ts';
import { RELAYS_MAX } from './record.ts';

export interface SlotsOptions {
  readonly links: ReadonlyMap<string, OverlayLink>;
  readonly members: Members;
  readonly clock: Clock;
  /** Called when the relays of this validator changed. */
  readonly onChange: (relays: readonly string[]) => void;
}

const ASK_MILLIS = 1_000;
const RETRY_MILLIS = 30_000;
const CLIENTS_MAX = 32;

export class Slots {
  readonly #options: SlotsOptions;
  /** Neighbours that keep a slot for this validator. */
  readonly #relays = new Set<string>();
  /** Neighbours that have a slot here. */
  readonly #clients = new Set<string>();
  readonly #askedAtMillis = new Map<string, number>();
  #cancelTick: (() => void) | undefined;

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  get relays(): string[] {
    return [...this.#relays];
  }

  get clients(): string[] {
    return [...this.#clients];
  }

  start(): void {
    this.#tick();
  }

  close(): void {
    this.#cancelTick?.();
  }

  requested(link: OverlayLink): void {
    const { members } = this.#options;
    const isKnown = this.#clients.has(link.validatorId);
    const isGranted = isKnown || (members.isOwnRouted && this.#clients.size < CLIENTS_MAX);
    if (isGranted) this.#clients.add(link.validatorId);
    link.send(LINK.slotAnswer, Uint8Array.of(isGranted ? 1 : 0));
  }

  answered(link: OverlayLink, payload: Uint8Array): void {
    if (payload.length !== 1) throw new Error('an answer about a slot that says nothing');
    if (payload[0] !== 1 || !this.#askedAtMillis.has(link.validatorId)) return;
    if (this.#relays.size >= RELAYS_MAX || this.#relays.has(link.validatorId)) return;
    this.#relays.add(link.validatorId);
    this.#options.onChange(this.relays);
  }

  left(validatorId: string): void {
    this.#clients.delete(validatorId);
    this.#askedAtMillis.delete(validatorId);
    if (this.#relays.delete(validatorId)) this.#options.onChange(this.relays);
  }

  #tick(): void {
    this.#askOne();
    this.#cancelTick = this.#options.clock.after(ASK_MILLIS, () => this.#tick());
  }

  #askOne(): void {
    const { links, members, clock } = this.#options;
    if (members.isOwnRouted || this.#relays.size >= RELAYS_MAX) return;
    const now = clock.monotonic();
    for (const link of links.values()) {
      const id = link.validatorId;
      const askedAt = this.#askedAtMillis.get(id) ?? Number.NEGATIVE_INFINITY;
      if (this.#relays.has(id) || members.routesOf(id).length === 0) continue;
      if (now - askedAt < RETRY_MILLIS) continue;
      this.#askedAtMillis.set(id, now);
      link.send(LINK.slotRequest);
      return;
    }
  }
}
