/**
 * The way between validators: direct links where there are any, and through two neighbours where there are
 * none. Delivery is not promised.
 */
import { toHex } from 'svc-wasm/base';
import { keyHash } from 'svc-wasm/internal';
import {
  asError,
  type Clock,
  type Log,
  messageOf,
  SILENT_LOG,
  SYSTEM_CLOCK,
} from '../base/ports.ts';
import { Traffic } from '../host/traffic.ts';
import { Announcements } from './announcements.ts';
import { Dialer } from './dialer.ts';
import type { Route } from './endpoint.ts';
import { ForwardGate, type OverlayApplication } from './forward-gate.ts';
import type { Greeted, OwnIdentity } from './handshake.ts';
import { OverlayLink } from './link.ts';
import {
  decodeForward,
  decodeForwarded,
  decodeNeighbours,
  encodeForward,
  encodeForwarded,
  encodeNeighbours,
} from './link-bytes.ts';
import { LINK } from './link-kinds.ts';
import { OverlayListener } from './listener.ts';
import { Members, type OverlayMember, targetOf } from './members.ts';
import { openOverlayKey } from './overlay-key.ts';
import { RecordBook } from './record.ts';
import { Router } from './router.ts';
import { Slots } from './slots.ts';

export interface OverlayOptions {
  /** The folder `network/validator-overlay`. */
  readonly directory: string;
  readonly chainId: Uint8Array;
  readonly validatorId: string;
  readonly application: OverlayApplication;
  /** Multiaddrs; none for a validator that nobody connects to. */
  readonly listen: readonly string[];
  readonly allowPrivateAddresses: boolean;
  /** Where this validator is, if it is not where it registered. */
  readonly announcedRoutes?: readonly Route[];
  /** The only validators to dial, for one that lives behind relays. */
  readonly relays?: readonly string[];
  readonly dialBackMillis?: number;
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  readonly clock?: Clock;
  readonly log?: Log;
}

type Listener = (from: string, message: Uint8Array) => void;

const DIAL_BACK_MILLIS = 5_000;
const NEIGHBOURS_MILLIS = 200;
const RACE_MILLIS = 10_000;
const CLOCK_CHECK_MILLIS = 30_000;
/** Cuts carry times, and a validator whose clock is off this far sees others' as untimely. */
const CLOCK_WARNING_MILLIS = 250;
const CLOCK_ALARM_MILLIS = 500;

export class Overlay {
  readonly traffic: Traffic = new Traffic();
  readonly #options: OverlayOptions;
  readonly #own: OwnIdentity;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #links = new Map<string, OverlayLink>();
  readonly #members: Members;
  readonly #router: Router;
  readonly #gate: ForwardGate;
  readonly #slots: Slots;
  readonly #announcements: Announcements;
  readonly #listener: OverlayListener;
  readonly #dialer: Dialer;
  #deliver: Listener = () => {};
  #cancelNeighbours: (() => void) | undefined;
  #cancelClockCheck: (() => void) | undefined;
  #isClosed = false;

  private constructor(options: OverlayOptions, own: OwnIdentity) {
    const { application, dialBackMillis = DIAL_BACK_MILLIS, relays } = options;
    const clock = options.clock ?? SYSTEM_CLOCK;
    const log = options.log ?? SILENT_LOG;
    const links = this.#links;
    const records = new RecordBook(() => clock.now());
    const members = new Members(own.validatorId, records);
    const ports = { own, clock, keyHashOf: (id: string) => members.keyHashOf(id) };
    const { traffic } = this;
    this.#options = options;
    this.#own = own;
    this.#clock = clock;
    this.#log = log;
    this.#members = members;
    this.#router = new Router(links, members, records);
    this.#gate = new ForwardGate(application, () => clock.now());
    const routes = options.announcedRoutes ?? [];
    this.#announcements = new Announcements({ own, links, members, records, clock, routes });
    const onChange = (held: readonly string[]): void => this.#announcements.relaysChanged(held);
    this.#slots = new Slots({ links, members, clock, onChange });
    this.#listener = new OverlayListener({
      ports,
      addresses: options.listen,
      traffic,
      log,
      onGreeted: (greeted) => this.#link(greeted, false),
    });
    this.#dialer = new Dialer({
      ports,
      members,
      rules: () => this.#routeRules(),
      traffic,
      clock,
      log,
      dialBackMillis,
      relays,
      isLinked: (id) => links.has(id),
      onGreeted: (greeted) => this.#link(greeted, true),
    });
  }

  static async open(options: OverlayOptions): Promise<Overlay> {
    const { chainId, validatorId } = options;
    const key = await openOverlayKey(options.directory);
    return new Overlay(options, { chainId, validatorId, key });
  }

  async start(): Promise<void> {
    await this.#listener.start();
    this.#announcements.start();
    this.#slots.start();
    this.#dialer.start();
    this.#checkClockLater();
  }

  /** Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelNeighbours?.();
    this.#cancelClockCheck?.();
    this.#dialer.close();
    this.#slots.close();
    this.#announcements.close();
    for (const link of [...this.#links.values()]) link.close();
    await this.#listener.close();
  }

  /** The ports it listens on, in the order of the addresses. */
  get ports(): number[] {
    return this.#listener.addresses.map(({ port }) => port);
  }

  /** The relays that keep a slot for this validator. */
  get relays(): string[] {
    return this.#slots.relays;
  }

  /** How far the clocks of the neighbours are ahead, in the middle; undefined without neighbours. */
  get clockOffsetMillis(): number | undefined {
    const offsets = [...this.#links.values()]
      .map(({ offsetMillis }) => offsetMillis)
      .filter((offset) => offset !== undefined)
      .sort((a, b) => a - b);
    return offsets[Math.floor(offsets.length / 2)];
  }

  neighbours(): readonly string[] {
    return [...this.#links.keys()];
  }

  listen(listener: Listener): void {
    this.#deliver = listener;
  }

  broadcast(message: Uint8Array): void {
    for (const link of this.#links.values()) link.send(LINK.message, message);
    for (const [link, ids] of this.#router.forwards())
      link.send(LINK.forward, encodeForward({ targets: ids.map(targetOf), message }));
  }

  send(validatorId: string, message: Uint8Array): void {
    const link = this.#links.get(validatorId);
    if (link !== undefined) {
      link.send(LINK.message, message);
      return;
    }
    const forward = encodeForward({ targets: [targetOf(validatorId)], message });
    for (const forwarder of this.#router.forwardersOf(validatorId))
      forwarder.send(LINK.forward, forward);
  }

  setCommittee(members: readonly OverlayMember[]): void {
    this.#members.set(members);
    const registered = this.#members.ownKeyHash;
    if (registered !== undefined && registered !== toHex(keyHash(this.#own.key.publicKey)))
      this.#log.error({}, 'the registered overlay endpoint names another key than the one here');
    for (const [id, link] of [...this.#links]) if (!this.#members.has(id)) link.close();
  }

  /** A neighbour sent something that it must have known to be wrong. */
  blame(validatorId: string, reason: string): void {
    this.#links.get(validatorId)?.close(new Error(reason));
  }

  #routeRules() {
    const { allowPrivateAddresses, resolve } = this.#options;
    const ownAddresses = this.#listener.addresses;
    const rules = { allowPrivateAddresses, ownAddresses };
    return resolve === undefined ? rules : { ...rules, resolve };
  }

  #link(greeted: Greeted, isDialled: boolean): void {
    const { validatorId } = greeted;
    const existing = this.#links.get(validatorId);
    const isUnwanted = this.#isClosed || !this.#members.has(validatorId);
    if (isUnwanted || (existing !== undefined && this.#isToKeep(existing, isDialled))) {
      greeted.channel.close();
      return;
    }
    const link = new OverlayLink(greeted, isDialled, this.#clock, {
      onFrame: (from, kind, payload) => this.#receive(from, kind, payload),
      onClose: (from, error) => this.#parted(from, error),
    });
    if (!link.isOpen) return;
    this.#links.set(validatorId, link);
    existing?.close();
    this.#dialer.linked(validatorId);
    this.#announcements.greet(link);
    this.#tellNeighbours();
    this.#log.info({ validator: validatorId, isDialled }, 'connected to a validator');
  }

  /** Two links made at the same time: both sides drop the one that the greater id dialled. */
  #isToKeep(existing: OverlayLink, isDialled: boolean): boolean {
    if (!existing.isOpen || existing.isDialled === isDialled) return false;
    if (this.#clock.now() - existing.openedAtMillis > RACE_MILLIS) return false;
    const isOwnLower = this.#own.validatorId < existing.validatorId;
    return existing.isDialled === isOwnLower;
  }

  #parted(link: OverlayLink, error: Error | undefined): void {
    const { validatorId } = link;
    if (this.#links.get(validatorId) !== link) return;
    this.#links.delete(validatorId);
    this.#slots.left(validatorId);
    this.#dialer.parted(validatorId, error !== undefined);
    this.#tellNeighbours();
    const reason = error === undefined ? 'closed' : messageOf(error);
    this.#log.info({ validator: validatorId, reason }, 'disconnected from a validator');
  }

  /** What a neighbour sends wrong ends its link. */
  #receive(link: OverlayLink, kind: number, payload: Uint8Array): void {
    try {
      this.#dispatch(link, kind, payload);
    } catch (error) {
      link.close(asError(error));
    }
  }

  #dispatch(link: OverlayLink, kind: number, payload: Uint8Array): void {
    switch (kind) {
      case LINK.message:
        this.#deliver(link.validatorId, payload);
        break;
      case LINK.forward:
        void this.#passOn(link, payload);
        break;
      case LINK.forwarded:
        this.#takeForwarded(payload);
        break;
      case LINK.neighbours:
        link.neighbours = new Set(decodeNeighbours(payload));
        break;
      case LINK.record:
        this.#announcements.received(link, payload);
        break;
      case LINK.slotRequest:
        this.#slots.requested(link);
        break;
      default:
        this.#slots.answered(link, payload);
    }
  }

  async #passOn(link: OverlayLink, payload: Uint8Array): Promise<void> {
    try {
      const { targets, message } = decodeForward(payload);
      const linked = targets
        .map((target) => this.#members.byTarget(target))
        .filter((id) => id !== undefined && id !== link.validatorId && this.#links.has(id));
      if (linked.length === 0) return;
      const passage = await this.#gate.judge(message);
      if (passage === 'reject')
        throw new Error('a message to pass on whose signature does not hold');
      if (passage === 'drop') return;
      const forwarded = encodeForwarded(link.validatorId, message);
      for (const id of this.#gate.fresh(message, linked as string[]))
        this.#links.get(id)?.send(LINK.forwarded, forwarded);
    } catch (error) {
      link.close(asError(error));
    }
  }

  #takeForwarded(payload: Uint8Array): void {
    const { origin, message } = decodeForwarded(payload);
    if (this.#members.has(origin)) this.#deliver(origin, message);
  }

  #tellNeighbours(): void {
    if (this.#isClosed) return;
    this.#cancelNeighbours ??= this.#clock.after(NEIGHBOURS_MILLIS, () => {
      this.#cancelNeighbours = undefined;
      const ids = [...this.#links.keys()];
      for (const link of this.#links.values()) link.send(LINK.neighbours, encodeNeighbours(ids));
    });
  }

  #checkClockLater(): void {
    this.#cancelClockCheck = this.#clock.after(CLOCK_CHECK_MILLIS, () => {
      const offset = Math.round(this.clockOffsetMillis ?? 0);
      const fields = { offsetMillis: offset };
      const text = 'the clock differs from those of the other validators; set it by NTP';
      if (Math.abs(offset) >= CLOCK_ALARM_MILLIS) this.#log.error(fields, text);
      else if (Math.abs(offset) >= CLOCK_WARNING_MILLIS) this.#log.warn(fields, text);
      this.#checkClockLater();
    });
  }
}
