/**
 * The transport between validators: direct links where there are any, otherwise through two neighbours. Delivery is
 * not guaranteed.
 */

import { asError, type Clock, type Log, SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { toHex } from 'svc-wasm/base';
import { keyHash } from 'svc-wasm/protocol';
import { Traffic } from '../host/traffic.ts';
import { Announcements } from './announcements.ts';
import { ClockWatch } from './clock-watch.ts';
import { Dialer } from './dialer.ts';
import type { Route } from './endpoint.ts';
import { findRoute, type RouteRules } from './find-route.ts';
import { ForwardGate, type OverlayApplication } from './forward-gate.ts';
import { Forwarder } from './forwarder.ts';
import type { OwnIdentity } from './handshake.ts';
import type { OverlayLink } from './link.ts';
import { LinkBook } from './link-book.ts';
import { decodeForwarded, decodeNeighbours, encodeForward } from './link-bytes.ts';
import { LINK } from './link-kinds.ts';
import { OverlayListener } from './listener.ts';
import { MemberAddresses } from './member-addresses.ts';
import { MemberBudgets } from './member-budgets.ts';
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
  /** Multiaddrs; none for a validator that accepts no connections. */
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

/** `from` is the validator at the other end of the link, or one that it names: it passes the message on. */
type Listener = (from: string, message: Uint8Array, link: OverlayLink) => void;

const DIAL_BACK_MILLIS = 5_000;

export class Overlay {
  readonly traffic: Traffic = new Traffic();
  readonly #options: OverlayOptions;
  readonly #own: OwnIdentity;
  readonly #log: Log;
  readonly #members: Members;
  readonly #links: LinkBook;
  readonly #router: Router;
  readonly #forwarder: Forwarder;
  readonly #slots: Slots;
  readonly #announcements: Announcements;
  readonly #addresses: MemberAddresses;
  readonly #listener: OverlayListener;
  readonly #dialer: Dialer;
  readonly #clockWatch: ClockWatch;
  #deliver: Listener = () => {};
  #isClosed = false;

  private constructor(options: OverlayOptions, own: OwnIdentity) {
    const { application, dialBackMillis = DIAL_BACK_MILLIS, relays, listen } = options;
    const { clock = SYSTEM_CLOCK, log = SILENT_LOG, announcedRoutes: routes = [] } = options;
    const { traffic } = this;
    const records = new RecordBook(clock);
    const members = new Members(own.validatorId, records);
    const book = new LinkBook({
      ownId: own.validatorId,
      members,
      clock,
      log,
      onOpened: (link) => this.#opened(link),
      onFrame: (link, kind, payload) => this.#receive(link, kind, payload),
      onParted: (id, isBlamed) => this.#parted(id, isBlamed),
    });
    const links = book.all;
    const budgets = new MemberBudgets(clock);
    const ports = {
      own,
      clock,
      keyHashOf: (id: string) => members.keyHashOf(id),
      budgetOf: (id: string) => budgets.readBudgetOf(id),
    };
    const onChange = (held: readonly string[]): void => this.#announcements.relaysChanged(held);
    this.#options = options;
    this.#own = own;
    this.#log = log;
    this.#members = members;
    this.#links = book;
    this.#router = new Router(links, members, records);
    const gate = new ForwardGate(application, () => clock.monotonic());
    this.#forwarder = new Forwarder(links, members, gate, budgets);
    this.#announcements = new Announcements({ own, links, members, records, clock, routes });
    this.#slots = new Slots({ links, members, clock, onChange });
    this.#clockWatch = new ClockWatch(clock, log, () => book.clockOffset);
    this.#addresses = new MemberAddresses({
      members,
      isLinked: (id) => links.has(id),
      findHosts: (route) => this.#findHosts(route),
      clock,
    });
    this.#listener = new OverlayListener({
      ports,
      addresses: listen,
      traffic,
      log,
      isMemberHost: (host) => this.#addresses.has(host),
      onGreeted: (greeted, host) => {
        this.#addresses.proven(greeted.validatorId, host);
        book.add(greeted, false);
      },
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
      onGreeted: (greeted) => book.add(greeted, true),
    });
  }

  static async open(options: OverlayOptions): Promise<Overlay> {
    const { chainId, validatorId } = options;
    const key = await openOverlayKey(options.directory);
    return new Overlay(options, { chainId, validatorId, key });
  }

  async start(): Promise<void> {
    await this.#listener.start();
    if (this.ports.length > 0) this.#addresses.start();
    this.#announcements.start();
    this.#slots.start();
    this.#dialer.start();
    this.#clockWatch.start();
  }

  /** Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#clockWatch.close();
    this.#dialer.close();
    this.#addresses.close();
    this.#slots.close();
    this.#announcements.close();
    this.#links.close();
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

  neighbours(): readonly string[] {
    return [...this.#links.all.keys()];
  }

  listen(listener: Listener): void {
    this.#deliver = listener;
  }

  broadcast(message: Uint8Array): void {
    for (const link of this.#links.all.values()) link.send(LINK.message, message);
    for (const [link, ids] of this.#router.forwards())
      link.send(LINK.forward, encodeForward({ targets: ids.map(targetOf), message }));
  }

  send(validatorId: string, message: Uint8Array): void {
    const link = this.#links.all.get(validatorId);
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
    this.#links.keepMembers();
  }

  #routeRules(): RouteRules {
    const { allowPrivateAddresses, resolve } = this.#options;
    const rules = { allowPrivateAddresses, ownAddresses: this.#listener.addresses };
    return resolve === undefined ? rules : { ...rules, resolve };
  }

  async #findHosts(route: Route): Promise<string[]> {
    return (await findRoute(route, this.#routeRules())).map(({ host }) => host);
  }

  #opened(link: OverlayLink): void {
    this.#dialer.linked(link.validatorId);
    this.#announcements.greet(link);
  }

  #parted(validatorId: string, isBlamed: boolean): void {
    this.#slots.left(validatorId);
    this.#dialer.parted(validatorId, isBlamed);
  }

  /** Handles a frame; a faulty one ends the link. */
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
        this.#deliver(link.validatorId, payload, link);
        break;
      case LINK.forward:
        void this.#forwarder.passOn(link, payload);
        break;
      case LINK.forwarded:
        this.#receiveForwarded(link, payload);
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

  /**
   * The forwarder alone names the origin, so it is not believed about a validator that has a link of its own here.
   */
  #receiveForwarded(link: OverlayLink, payload: Uint8Array): void {
    const { origin, message } = decodeForwarded(payload);
    if (this.#members.has(origin) && !this.#links.all.has(origin))
      this.#deliver(origin, message, link);
  }
}
